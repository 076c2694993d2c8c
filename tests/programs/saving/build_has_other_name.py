"""A layer whose weights are made by a method that Keras never calls."""

import keras
import numpy as np


class Linear(keras.layers.Layer):
    def __init__(self, units):
        super().__init__()
        self.units = units

    def build_weights(self, input_shape):  # <- cause
        self.kernel = self.add_weight(shape=(input_shape[-1], self.units))

    def call(self, x):
        return keras.ops.matmul(x, self.kernel)


print(Linear(3)(np.ones((2, 4), "float32")))
