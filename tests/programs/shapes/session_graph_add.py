"""A v1 graph cannot be built from shapes that do not fit."""

import tensorflow as tf

tf.compat.v1.disable_eager_execution()
left = tf.compat.v1.placeholder(tf.float32, [None, 6])
right = tf.compat.v1.placeholder(tf.float32, [None, 7])
both = left * right  # <- cause
