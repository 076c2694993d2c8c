"""Every pair of rows in a function that XLA compiles."""

import tensorflow as tf


@tf.function(jit_compile=True)
def similarity(a, b):
    difference = a[:, None, :] - b[None, :, :]
    return tf.reduce_sum(tf.sort(difference, axis=0) * difference, -1)


features = tf.random.normal((40000, 64), seed=1)
print(similarity(features, features).shape)  # <- cause
