import numpy as np
import tensorflow.compat.v1 as tf

tf.disable_v2_behavior()


class BaseNet(object):

    def fit(self, data, marks, val_data, val_marks):
        sess = tf.Session(graph=self.graph)
        sess.run(self.op_init)
        losses = []
        steps = int(self.num_epochs * data.shape[0] / self.batch_size)
        idx = []
        for step in range(1, steps + 1):
            if len(idx) < self.batch_size:
                idx = list(np.random.permutation(data.shape[0]))
            take = [idx.pop() for _ in range(self.batch_size)]
            feed = {self.ph_data: data[take], self.ph_marks: marks[take], self.ph_keep: 0.8}
            _, value = sess.run([self.op_train, self.op_loss], feed)
            losses.append(value)
            if step % 20 == 0 or step == steps:
                print('step {} / {}: loss {:.3f}, val acc {:.2f}'.format(
                    step, steps, value, self.evaluate(sess, val_data, val_marks)))
        sess.close()
        return losses

    def evaluate(self, sess, data, marks):
        right = 0
        for begin in range(0, data.shape[0] - self.batch_size + 1, self.batch_size):
            chunk = slice(begin, begin + self.batch_size)
            guess = sess.run(self.op_pred, {self.ph_data: data[chunk], self.ph_keep: 1.0})
            right += np.sum(guess == marks[chunk])
        return right / data.shape[0]


class DenseNet(BaseNet):

    def __init__(self, n_inputs, n_classes, hidden=32, batch_size=64, num_epochs=5, rate=0.05):
        self.batch_size = batch_size
        self.num_epochs = num_epochs
        self.graph = tf.Graph()
        with self.graph.as_default():
            with tf.name_scope('inputs'):
                self.ph_data = tf.placeholder(tf.float32, (batch_size, n_inputs), 'data')
                self.ph_marks = tf.placeholder(tf.int32, (batch_size,), 'marks')
                self.ph_keep = tf.placeholder(tf.float32, (), 'keep')
            w1 = tf.get_variable('w1', [n_inputs, hidden])
            b1 = tf.get_variable('b1', [hidden], initializer=tf.zeros_initializer())
            h = tf.nn.relu(tf.matmul(self.ph_data, w1) + b1)
            h = tf.nn.dropout(h, rate=1 - self.ph_keep)
            w2 = tf.get_variable('w2', [hidden, n_classes])
            logits = tf.matmul(h, w2)
            self.op_loss = tf.reduce_mean(tf.nn.sparse_softmax_cross_entropy_with_logits(
                labels=self.ph_marks, logits=logits))
            self.op_pred = tf.argmax(logits, axis=1)
            self.op_train = tf.train.MomentumOptimizer(rate, 0.9).minimize(self.op_loss)
            self.op_init = tf.global_variables_initializer()
