"""A generator that yields lists, where Keras takes tuples of inputs and targets."""

import numpy as np
import tensorflow as tf


def batches(x, y, size):
    order = np.random.default_rng(3)
    while True:
        rows = order.integers(0, len(x), size)
        yield [x[rows], y[rows]]  # <- cause


x = np.random.default_rng(5).normal(size=(80, 3)).astype("float32")
y = x.mean(axis=1, keepdims=True)
model = tf.keras.Sequential([tf.keras.Input((3,)), tf.keras.layers.Dense(1)])
model.compile(optimizer="sgd", loss="mse")
model.fit(batches(x, y, 16), steps_per_epoch=5, epochs=2, verbose=0)
