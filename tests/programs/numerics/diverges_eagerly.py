"""Gradient descent by hand, with assign_sub and a rate that is too large."""

import numpy as np
import tensorflow as tf

features = tf.constant(np.random.default_rng(20).normal(size=[32, 3]).astype("float32"))
wanted = tf.reduce_sum(features, axis=1, keepdims=True)
weights = tf.Variable(tf.zeros([3, 1]))
learning_rate = 30.0

for _ in range(80):
    with tf.GradientTape() as tape:
        loss = tf.reduce_mean((features @ weights - wanted) ** 2)
    slope = tape.gradient(loss, weights)
    weights.assign_sub(learning_rate * slope)  # <- cause
print(float(loss))
