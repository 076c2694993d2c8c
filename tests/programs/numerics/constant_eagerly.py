"""A scale that was worked out beforehand is infinite, in a loop without tf.function."""

import numpy as np
import tensorflow as tf

rows = np.random.default_rng(45).normal(size=[32, 3]).astype("float32")
weights = tf.Variable(tf.ones([3, 1]))
optimizer = tf.keras.optimizers.SGD(0.01)
shortest = np.float32(0.0)
with np.errstate(divide="ignore"):
    scale = np.float32(1.0) / shortest

for start in range(0, 32, 8):
    with tf.GradientTape() as tape:
        loss = tf.reduce_mean(tf.square(rows[start : start + 8] @ weights)) * scale  # <- cause
    optimizer.apply_gradients([(tape.gradient(loss, weights), weights)])
