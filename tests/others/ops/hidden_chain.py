"""A chain of hidden states and binary samples along a series, with tf.scan."""

import numpy as np
import tensorflow as tf

UNITS, INPUTS, STEPS, ROWS = 6, 4, 9, 5


class Chain(tf.Module):
    def __init__(self):
        super().__init__()
        self.into = tf.Variable(tf.random.normal([INPUTS, UNITS], stddev=0.3, seed=1))
        self.over = tf.Variable(tf.random.normal([UNITS, UNITS], stddev=0.3, seed=2))
        self.chance = tf.Variable(tf.random.normal([UNITS], stddev=0.3, seed=3))

    def sample(self, before, x):
        h, z = before
        h = tf.tanh(x @ self.into + h @ self.over) * (1.0 - z) + h * z
        z = tf.round(tf.sigmoid(tf.linalg.matvec(h, self.chance)))  # <- cause
        return h, z

    @tf.function
    def run(self, series):
        rows = tf.shape(series)[1]
        h0, z0 = tf.zeros([rows, UNITS]), tf.zeros([rows])
        return tf.scan(self.sample, series, initializer=(h0, tf.expand_dims(z0, 1)))  # <- cause


def main():
    series = np.random.default_rng(3).normal(size=(STEPS, ROWS, INPUTS)).astype("float32")
    chain = Chain()
    states, samples = chain.run(tf.constant(series))
    print("states", states.shape, "samples", samples.shape)


if __name__ == "__main__":
    main()
