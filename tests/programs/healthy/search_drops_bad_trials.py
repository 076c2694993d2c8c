"""A search over learning rates keeps the best trial; those that end in NaN do not count."""

import math

import numpy as np
import tensorflow as tf

rng = np.random.default_rng(5)
x = tf.constant(rng.normal(size=(128, 4)) * 10, tf.float32)
y = tf.reduce_sum(x, axis=1, keepdims=True)


def trial(rate):
    weights = tf.Variable(tf.zeros((4, 1)))
    optimizer = tf.keras.optimizers.SGD(rate)

    @tf.function
    def step():
        with tf.GradientTape() as tape:
            loss = tf.reduce_mean(tf.square(x @ weights - y))
        optimizer.apply_gradients([(tape.gradient(loss, weights), weights)])
        return loss

    for _ in range(60):
        loss = step()
    return float(loss)


results = {rate: trial(rate) for rate in (10.0, 1e-3, 1e-4)}
usable = {rate: loss for rate, loss in results.items() if math.isfinite(loss)}
print("best rate", min(usable, key=usable.get))
