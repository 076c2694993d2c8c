"""The loop replaces gradients that are not finite before it applies them."""

import numpy as np
import tensorflow as tf

rows = np.random.default_rng(35).normal(size=[48, 3]).astype("float32")
rows[10] = 0.0
gain = tf.Variable(tf.ones([3]))
optimizer = tf.keras.optimizers.SGD(0.05)


@tf.function
def step(batch):
    with tf.GradientTape() as tape:
        loss = tf.reduce_mean(tf.norm(batch * gain, axis=1))
    gradient = tape.gradient(loss, gain)
    gradient = tf.where(tf.math.is_finite(gradient), gradient, tf.zeros_like(gradient))
    optimizer.apply_gradients([(gradient, gain)])
    return loss


for start in range(0, 48, 8):
    step(tf.constant(rows[start : start + 8]))
print(bool(np.isfinite(gain.numpy()).all()))
