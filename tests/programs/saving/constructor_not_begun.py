"""A layer that forgets the constructor of its parent."""

import keras
import numpy as np


class Block(keras.layers.Layer):
    def __init__(self, units):  # <- cause
        self.units = units
        self.inner = keras.layers.Dense(units)

    def call(self, x):
        return self.inner(x)


block = Block(4)
print(block(np.ones((2, 3), "float32")))
