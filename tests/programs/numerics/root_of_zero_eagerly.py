"""The deviation of a row of zeros is zero, and the root has no derivative there."""

import numpy as np
import tensorflow as tf

tf.keras.utils.set_random_seed(14)
rows = np.random.default_rng(14).normal(size=[48, 6]).astype("float32")
rows[29] = 0.0
gain = tf.Variable(tf.ones([6]))
optimizer = tf.keras.optimizers.Adam(0.01)

for start in range(0, 48, 8):
    batch = tf.constant(rows[start : start + 8])
    with tf.GradientTape() as tape:
        scaled = batch * gain
        spread = tf.sqrt(tf.math.reduce_variance(scaled, axis=1))  # <- cause
        loss = tf.reduce_mean((spread - 1.0) ** 2)
    optimizer.apply_gradients([(tape.gradient(loss, gain), gain)])
