"""Mixed precision skips every step, because a gradient is NaN at any scale; the loss shows nothing."""

import keras
import numpy as np
import tensorflow as tf

keras.utils.set_random_seed(41)
keras.mixed_precision.set_global_policy("mixed_float16")


class Spread(keras.layers.Layer):
    def call(self, rows):
        apart = rows - rows
        return rows + tf.norm(apart, axis=1, keepdims=True)


rows = np.random.default_rng(41).normal(size=[128, 8]).astype("float32")
inputs = keras.Input([8])
hidden = keras.layers.Dense(16)(inputs)
model = keras.Model(inputs, keras.layers.Dense(1, dtype="float32")(Spread(dtype="float32")(hidden)))
model.compile(keras.optimizers.SGD(0.01), "mse")
model.fit(rows, rows[:, :1], batch_size=8, epochs=3, verbose=0)
