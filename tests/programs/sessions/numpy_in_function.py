"""A compiled function asks a symbolic tensor for its value."""

import tensorflow as tf


@tf.function
def scaled(x):
    peak = tf.reduce_max(x)
    return x / peak.numpy()  # <- cause


print(scaled(tf.constant([1.0, 4.0])))
