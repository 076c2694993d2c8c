"""A layer that rescales only batches with large values, on the JAX backend."""

import os

os.environ["KERAS_BACKEND"] = "jax"
import keras
import numpy as np
from keras import ops


class Tame(keras.layers.Layer):
    def __init__(self, limit, **kwargs):
        super().__init__(**kwargs)
        self.limit = limit

    def call(self, x):
        largest = ops.max(ops.abs(x))
        return ops.where(largest > self.limit, x * (self.limit / largest), x)

    def compute_output_shape(self, input_shape):
        return input_shape


def make_model():
    inputs = keras.Input((6,))
    hidden = keras.layers.Dense(12, activation="relu")(inputs)
    return keras.Model(inputs, keras.layers.Dense(1)(Tame(3.0)(hidden)))


rng = np.random.default_rng(0)
x = rng.normal(size=(128, 6)).astype("float32")
model = make_model()
model.compile(optimizer="adam", loss="mse")
model.fit(x, x[:, :1], batch_size=32, epochs=1, verbose=0)
print("trained")
