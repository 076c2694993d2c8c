"""Height of the swell from the hours before it, with a memory that begins empty."""

import keras
import numpy as np
import tensorflow as tf

TOGETHER = 16


class Swell(keras.Model):
    def __init__(self, cells):
        super().__init__()
        self.cells = cells
        self.memory = keras.layers.GRU(cells)
        self.height = keras.layers.Dense(1)

    def call(self, hours):
        empty = tf.zeros((tf.shape(hours)[0], self.cells))
        return self.height(self.memory(hours, initial_state=empty))


generator = np.random.default_rng(9)
hours = generator.normal(size=(40, 6, 2)).astype("float32")
heights = hours[:, -1, :1] * 0.5
net = Swell(5)
net.compile("sgd", "mae")
net.fit(hours, heights, batch_size=TOGETHER, verbose=0)
print(net.predict(hours[:16], verbose=0).shape)
