"""tf.where chooses the safe branch, and differentiates the other one too."""

import numpy as np
import tensorflow as tf

tf.keras.utils.set_random_seed(13)
values = np.random.default_rng(13).random([60, 1], "float32") + 0.5
values[44] = 0.0
scale = tf.Variable([1.0])
optimizer = tf.keras.optimizers.SGD(0.01)


@tf.function
def step(rows):
    with tf.GradientTape() as tape:
        shifted = rows * scale
        inverse = tf.where(shifted > 0.0, 1.0 / shifted, 0.0)  # <- cause
        loss = tf.reduce_mean(inverse)
    optimizer.apply_gradients([(tape.gradient(loss, scale), scale)])
    return loss


for start in range(0, 60, 12):
    step(tf.constant(values[start : start + 12]))
