"""A schedule that gives numbers of Python, also where it computes with TensorFlow."""

import math

import numpy as np
import tensorflow as tf

BASE = 0.02
WARM = 2


def falling(epoch, rate):
    if epoch < WARM:
        return BASE / 4
    left = math.exp(-0.3 * (epoch - WARM))
    return float(tf.maximum(BASE * left, 1e-4))


rng = np.random.default_rng(7)
x = rng.normal(size=(96, 4)).astype("float32")
y = x.sum(axis=1, keepdims=True)
model = tf.keras.Sequential([tf.keras.Input((4,)), tf.keras.layers.Dense(1)])
model.compile(optimizer="sgd", loss="mse")
model.fit(x, y, epochs=4, verbose=0, callbacks=[tf.keras.callbacks.LearningRateScheduler(falling)])
