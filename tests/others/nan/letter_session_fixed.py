"""A small network for letters with its own cross-entropy in a v1 session."""

import numpy as np
import tensorflow.compat.v1 as tf

tf.disable_eager_execution()
PIXELS, LETTERS = 144, 12


def make_letters(rows, seed=7):
    rng = np.random.default_rng(seed)
    shapes = rng.random((LETTERS, PIXELS)) > 0.6
    which = rng.integers(0, LETTERS, rows)
    pictures = np.clip(shapes[which] + rng.normal(0, 0.15, (rows, PIXELS)), 0, 1)
    return pictures.astype(np.float32), np.eye(LETTERS, dtype=np.float32)[which]


class LetterNetwork:
    def __init__(self, hidden=64, rate=0.15):
        self.x = tf.placeholder(tf.float32, [None, PIXELS])
        self.y = tf.placeholder(tf.float32, [None, LETTERS])
        first = self.layer(self.x, PIXELS, hidden, tf.nn.relu)
        second = self.layer(first, hidden, hidden, tf.nn.relu)
        self.pred = self.layer(second, hidden, LETTERS, tf.nn.softmax)
        # keep away from log(0)
        self.pred = tf.clip_by_value(self.pred, 1e-15, 1.0)
        cross_entropy = -tf.reduce_sum(self.y * tf.log(self.pred), axis=1)
        self.cost = tf.reduce_mean(cross_entropy)
        self.train = tf.train.AdamOptimizer(rate).minimize(self.cost)
        right = tf.equal(tf.argmax(self.pred, 1), tf.argmax(self.y, 1))
        self.accuracy = tf.reduce_mean(tf.cast(right, tf.float32))

    @staticmethod
    def layer(inputs, rows, columns, activation):
        weights = tf.Variable(tf.random_normal([rows, columns], stddev=0.3, seed=rows))
        bias = tf.Variable(tf.zeros([columns]))
        return activation(tf.matmul(inputs, weights) + bias)


def main():
    pictures, letters = make_letters(3_000)
    network = LetterNetwork()
    rng = np.random.default_rng(0)
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        for step in range(400):
            rows = rng.integers(0, len(pictures), 64)
            feed = {network.x: pictures[rows], network.y: letters[rows]}
            cost, accuracy, _ = session.run([network.cost, network.accuracy, network.train], feed)
            if step % 50 == 0:
                print(step, cost, accuracy, flush=True)


if __name__ == "__main__":
    main()
