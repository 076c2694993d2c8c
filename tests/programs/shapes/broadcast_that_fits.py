"""Shapes that differ and fit by broadcasting."""

import tensorflow as tf

print((tf.ones([4, 1]) + tf.ones([3])).shape, tf.matmul(tf.ones([2, 3]), tf.ones([4, 3]), transpose_b=True).shape)
