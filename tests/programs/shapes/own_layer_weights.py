"""A layer of the user's own has weights of another height than its input is wide."""

import numpy as np
import tensorflow as tf


class Head(tf.keras.Model):
    def __init__(self):
        super().__init__()
        self.body = tf.keras.layers.Dense(8)
        self.kernel = tf.Variable(tf.zeros([6, 2]))

    def call(self, x):
        hidden = self.body(x)
        return tf.matmul(hidden, self.kernel)  # <- cause


model = Head()
model.compile("sgd", "mse")
model.fit(np.zeros((32, 4), "float32"), np.zeros((32, 2), "float32"), verbose=0)
