import os

os.environ["TF_CPP_MIN_LOG_LEVEL"] = "3"
import keras
import numpy as np
import tensorflow as tf


class Attention(keras.layers.Layer):
    def __init__(self, width, heads):
        super().__init__()
        self.width, self.heads = width, heads
        self.project = keras.layers.Dense(3 * width)

    def split(self, x):
        rows, steps = tf.shape(x)[0], tf.shape(x)[1]
        return tf.reshape(x, (rows, steps, self.heads, self.width // self.heads))  # <- cause

    def call(self, x):
        q, k, v = (self.split(part) for part in tf.split(self.project(x), 3, axis=-1))
        weights = tf.nn.softmax(tf.einsum("bthd,bshd->bhts", q, k))
        return tf.reduce_mean(tf.einsum("bhts,bshd->bthd", weights, v), axis=2)


series = keras.Input((10, 30))
model = keras.Model(series, keras.layers.Dense(1)(Attention(30, 4)(series)))
model.compile("adam", "mse")
model.fit(np.zeros((8, 10, 30)), np.zeros((8, 10, 1)), verbose=0)
