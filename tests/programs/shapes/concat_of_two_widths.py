"""Rows of different widths are put below each other."""

import tensorflow as tf

train = tf.zeros([30, 7])
extra = tf.zeros([5, 6])
table = tf.concat([train, extra], axis=0)  # <- cause
print(table.shape)
