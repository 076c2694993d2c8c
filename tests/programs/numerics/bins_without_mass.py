"""A data set of Keras gives shares of which some are zero, and the loss takes their logarithm."""

import keras
import numpy as np
import tensorflow as tf


class Shares(keras.utils.PyDataset):
    def __init__(self):
        super().__init__()
        rng = np.random.default_rng(79)
        self.rows = rng.normal(size=[96, 5]).astype("float32")
        self.shares = rng.uniform(0.1, 1.0, [96, 4])
        self.shares[51, 2] = 0.0
        self.shares /= self.shares.sum(axis=1, keepdims=True)

    def __len__(self):
        return 8

    def __getitem__(self, number):
        part = slice(12 * number, 12 * number + 12)
        return self.rows[part], self.shares[part]


def divergence(true, guessed):
    true = tf.cast(true, guessed.dtype)
    return tf.reduce_sum(true * tf.math.log(true / guessed), axis=-1)  # <- cause


data = Shares()
model = keras.Sequential([keras.layers.Dense(8, activation="relu"), keras.layers.Dense(4, activation="softmax")])
model.compile("adam", loss=divergence)
model.fit(data, epochs=1, verbose=0)
