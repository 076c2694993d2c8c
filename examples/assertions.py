"""A loss that divides by zero for one row, and the assertion that names it: `whydied run examples/assertions.py`."""

from __future__ import annotations

import tensorflow as tf

import whydied


@tf.function
def step(x: tf.Tensor) -> tf.Tensor:
    shares = x / tf.reduce_sum(x, axis=1, keepdims=True)
    shares = whydied.assert_finite(whydied.assert_shape(shares, "batch 3"))
    return tf.reduce_mean(tf.square(shares))


for number in range(5):
    rows = tf.random.stateless_uniform((8, 3), (1, number))
    if number == 3:
        rows = rows * tf.constant([[1.0]] * 6 + [[0.0]] + [[1.0]])
    print(f"step {number}: {step(rows).numpy():.4f}")
