"""A loop by hand in float16 sums squares beyond 65,504."""

import numpy as np
import tensorflow as tf

rows = np.random.default_rng(43).normal(size=[64, 32]).astype("float16")
rows[50] *= 60
weights = tf.Variable(tf.ones([32], "float16") / 8)


@tf.function
def step(batch):
    with tf.GradientTape() as tape:
        energy = tf.reduce_sum(tf.square(batch), axis=1)  # <- cause
        told = tf.linalg.matvec(batch, weights)
        loss = tf.reduce_mean(told * tf.math.log(energy))
    weights.assign_sub(tf.cast(0.001, "float16") * tape.gradient(loss, weights))
    return loss


for start in range(0, 64, 16):
    step(tf.constant(rows[start : start + 16]))
