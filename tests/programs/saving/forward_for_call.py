"""A model with the method's name of another library."""

import numpy as np
import tensorflow as tf


class Net(tf.keras.Model):
    def __init__(self):
        super().__init__()
        self.dense = tf.keras.layers.Dense(2)

    def forward(self, x):  # <- cause
        return self.dense(x)


print(Net()(np.ones((1, 3), "float32")))
