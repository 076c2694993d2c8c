"""Turns NaN: one row of the data takes a logarithm of zero, and the loss shows it layers later.

whydied run examples/nan_row.py
"""

import keras
import numpy as np
import tensorflow as tf

keras.utils.set_random_seed(1)
counts = np.random.default_rng(1).integers(1, 100, (2048, 16)).astype("float32")
counts[1500, 3] = 0
prices = counts.mean(axis=1, keepdims=True)


class LogScale(keras.layers.Layer):
    def call(self, values):
        return tf.math.log(values)


inputs = keras.Input([16])
outputs = keras.layers.Dense(1)(keras.layers.Dense(32, activation="relu")(LogScale()(inputs)))
model = keras.Model(inputs, outputs)
model.compile("adam", "mse")
model.fit(counts, prices, batch_size=32, epochs=3, verbose=0)
