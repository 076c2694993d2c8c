"""Reduces with an argument of TensorFlow 1, inside a tf.function."""

import tensorflow as tf


@tf.function
def centred(x):
    return x - tf.reduce_mean(x, axis=0, keep_dims=True)  # <- cause


print(centred(tf.ones((3, 2))))
