"""Shares of a total that is zero for one shop are NaN before the training begins; the loss only shows it."""

import numpy as np
import tensorflow as tf

np.seterr(all="ignore")


class Sales:
    def __init__(self, months):
        self.months = months

    def shares(self):
        total = self.months.sum(axis=1, keepdims=True)
        return (self.months / total).astype("float32")  # <- cause


def closed_shop(seed=8):
    draw = np.random.default_rng(seed)
    months = draw.integers(1, 90, size=(240, 12)).astype("float64")
    months[137] = 0
    return months


def batches(rows, size):
    for start in range(0, len(rows), size):
        yield tf.constant(rows[start : start + size])


sales = Sales(closed_shop())
rows = sales.shares()
tf.keras.utils.set_random_seed(8)
coder = tf.keras.Sequential([tf.keras.Input((12,)), tf.keras.layers.Dense(4, "tanh"), tf.keras.layers.Dense(12)])
optimizer = tf.keras.optimizers.Adam(0.01)
for epoch in range(3):
    for batch in batches(rows, 24):
        with tf.GradientTape() as tape:
            loss = tf.reduce_mean(tf.square(coder(batch) - batch))
        optimizer.apply_gradients(zip(tape.gradient(loss, coder.trainable_variables), coder.trainable_variables))
    print(epoch, float(loss))
