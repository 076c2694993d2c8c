"""An exponential overflows in a loop without tf.function; one row is far larger than the others."""

import numpy as np
import tensorflow as tf

tf.keras.utils.set_random_seed(9)
signal = np.random.default_rng(9).normal(size=[80, 2]).astype("float32")
signal[61, 0] = 400.0
weights = tf.Variable(tf.ones([2, 1]))
optimizer = tf.keras.optimizers.SGD(0.001)

for start in range(0, 80, 10):
    rows = tf.constant(signal[start : start + 10])
    with tf.GradientTape() as tape:
        rate = tf.exp(rows @ weights)  # <- cause
        loss = tf.reduce_mean(rate)
    optimizer.apply_gradients([(tape.gradient(loss, weights), weights)])
print("done")
