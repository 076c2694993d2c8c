"""A square leaves the range of float16 in the forward pass."""

import keras
import numpy as np


class Energy(keras.layers.Layer):
    def call(self, signal):
        return keras.ops.sum(keras.ops.square(signal), axis=1, keepdims=True)  # <- cause


keras.utils.set_random_seed(21)
signals = np.random.default_rng(21).normal(size=[64, 16]).astype("float32")
signals[48] *= 400.0
model = keras.Sequential(
    [keras.layers.Input([16]), Energy(dtype="float16"), keras.layers.Dense(1, dtype="float32")]
)
model.compile("sgd", "mae")
model.fit(signals, np.ones([64, 1], "float32"), batch_size=16, epochs=1, verbose=0)
