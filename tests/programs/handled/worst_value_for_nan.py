"""An objective that gives infinity where the training diverged, so that the search never chooses it."""

import math

import numpy as np
import tensorflow as tf

rng = np.random.default_rng(24)
x = tf.constant(rng.normal(size=(100, 3)) * 20, tf.float32)
y = tf.reduce_sum(x * x, axis=1, keepdims=True)


def objective(log_rate):
    w = tf.Variable(tf.fill([3, 1], 0.1))
    for _ in range(40):
        with tf.GradientTape() as tape:
            loss = tf.reduce_mean((x @ w - y) ** 2)
        w.assign_sub(10.0**log_rate * tape.gradient(loss, w))
    return float("inf") if math.isnan(float(loss)) else float(loss)


points = np.linspace(-7, 2, 6)
values = [objective(point) for point in points]
print("best", points[int(np.argmin(values))] < 0, "given up", values.count(float("inf")) > 0)
