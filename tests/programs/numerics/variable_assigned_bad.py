"""The program itself computes a start value that is infinite."""

import numpy as np
import tensorflow as tf

tf.keras.utils.set_random_seed(16)
rows = np.random.default_rng(16).normal(size=[40, 3]).astype("float32")
slope = tf.Variable(tf.zeros([3, 1]), name="slope")
slope.assign(np.full([3, 1], np.log(np.float32(2.0)) / np.float32(1e-46), "float32"))  # <- cause
optimizer = tf.keras.optimizers.SGD(0.01)


@tf.function
def step(batch):
    with tf.GradientTape() as tape:
        loss = tf.reduce_mean(tf.square(batch @ slope))
    optimizer.apply_gradients([(tape.gradient(loss, slope), slope)])
    return loss


for start in range(0, 40, 10):
    step(tf.constant(rows[start : start + 10]))
