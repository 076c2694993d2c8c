"""Learns to multiply with a layer of products."""

import keras
import numpy as np
import tensorflow as tf
from keras.models import Sequential
from keras.optimizers import RMSprop


class Products(keras.layers.Layer):
    def __init__(self, output_dim, input_dim):
        super().__init__()
        self.weight = self.add_weight(shape=(input_dim, output_dim), initializer="random_uniform", name="weight")

    def call(self, inputs):
        chosen = tf.minimum(tf.maximum(self.weight, 0.0), 1.0)
        output = (inputs * chosen) + 1.0 - chosen  # <- cause
        return tf.reduce_prod(output, axis=1)


def samples(count, seed):
    rng = np.random.default_rng(seed)
    factors = rng.integers(1, 9, (count, 3)).astype("float32")
    return factors, np.stack([factors.prod(axis=1)] * 2, axis=1)


x_train, y_train = samples(200, 0)
x_test, y_test = samples(50, 1)
model = Sequential()
model.add(Products(2, 3))
model.compile(loss="mse", optimizer=RMSprop(learning_rate=0.01))
model.fit(x=x_train, y=y_train, validation_data=(x_test, y_test), epochs=1, verbose=0)
print("trained on", len(x_train))
