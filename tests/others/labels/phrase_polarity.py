"""Sentiment of phrases with a hand-written bidirectional recurrent network in a session."""

import numpy as np
import tensorflow.compat.v1 as tf

tf.disable_eager_execution()


class PhraseRNN:
    def __init__(self, steps, vocabulary, width, hidden, classes):
        self.input_x = tf.placeholder(tf.int32, [None, steps], name="input_x")
        self.input_y = tf.placeholder(tf.float32, [None, classes], name="input_y")

        table = tf.get_variable("table", [vocabulary, width])
        embedded = tf.nn.embedding_lookup(table, self.input_x)
        inputs = tf.unstack(embedded, axis=1)
        forward = self.unroll("forward", inputs, width, hidden)
        backward = self.unroll("backward", inputs[::-1], width, hidden)[::-1]
        outputs = [tf.concat([f, b], 1) for f, b in zip(forward, backward)]

        with tf.variable_scope("output"):
            weights = tf.get_variable("weights", [2 * hidden, classes])
            bias = tf.get_variable("bias", [classes], initializer=tf.zeros_initializer())
            states = tf.reshape(tf.stack(outputs, axis=1), [-1, 2 * hidden])  # <- cause
            self.scores = tf.matmul(states, weights) + bias

        losses = tf.nn.softmax_cross_entropy_with_logits_v2(logits=self.scores, labels=self.input_y)
        self.loss = tf.reduce_mean(losses)

    def unroll(self, name, inputs, width, hidden):
        with tf.variable_scope(name):
            kernel = tf.get_variable("kernel", [width + hidden, hidden])
            bias = tf.get_variable("bias", [hidden], initializer=tf.zeros_initializer())
            state = tf.zeros([tf.shape(inputs[0])[0], hidden])
            states = []
            for step in inputs:
                state = tf.tanh(tf.matmul(tf.concat([step, state], 1), kernel) + bias)
                states.append(state)
            return states


def phrases(count, steps, vocabulary):
    rng = np.random.default_rng(4)
    words = rng.integers(1, vocabulary, (count, steps))
    positive = (words < vocabulary // 2).mean(axis=1) > 0.5
    return words, np.eye(2)[positive.astype(int)]


def main():
    steps, vocabulary, batch = 7, 200, 50
    x, y = phrases(300, steps, vocabulary)
    model = PhraseRNN(steps, vocabulary, width=8, hidden=12, classes=2)
    train_op = tf.train.AdamOptimizer(1e-2).minimize(model.loss)
    with tf.Session() as sess:
        sess.run(tf.global_variables_initializer())
        for start in range(0, len(x), batch):
            feed = {model.input_x: x[start : start + batch], model.input_y: y[start : start + batch]}
            _, loss = sess.run([train_op, model.loss], feed_dict=feed)
        print("loss", loss)


if __name__ == "__main__":
    main()
