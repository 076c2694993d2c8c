import numpy as np
import tensorflow.compat.v1 as tf


class Denoiser:
    """Small fully connected denoising network on a TF1 session."""

    def __init__(self, width, hidden=24):
        self.width = width
        self.hidden = hidden
        self.sess = tf.Session()

    def layer(self, x, units, name, activation=None):
        with tf.variable_scope(name):
            kernel = tf.get_variable("kernel", [int(x.shape[1]), units])
            bias = tf.get_variable("bias", [units], initializer=tf.zeros_initializer())
        out = tf.matmul(x, kernel) + bias
        return activation(out) if activation else out

    def network(self, x):
        h = self.layer(x, self.hidden, "encode", tf.nn.relu)
        return self.layer(h, self.width, "decode")

    def train(self, noisy, clean, epochs=3, batch=32):
        data = tf.placeholder(tf.float32, [None, self.width], name="noisy")
        target = tf.placeholder(tf.float32, [None, self.width], name="clean")

        init_global = tf.global_variables_initializer()  # <- cause
        init_local = tf.local_variables_initializer()
        self.sess.run(init_global)  # <- cause
        self.sess.run(init_local)

        prediction = self.network(data)  # <- cause
        loss = tf.reduce_mean(tf.square(prediction - target))
        step = tf.train.GradientDescentOptimizer(0.1).minimize(loss)

        for epoch in range(epochs):
            losses = []
            for start in range(0, len(noisy), batch):
                feed = {
                    data: noisy[start : start + batch],
                    target: clean[start : start + batch],
                }
                value, _ = self.sess.run([loss, step], feed_dict=feed)
                losses.append(value)
            print("epoch %d loss %.4f" % (epoch, np.mean(losses)))
        return self.sess.run(prediction, feed_dict={data: noisy[:4]})
