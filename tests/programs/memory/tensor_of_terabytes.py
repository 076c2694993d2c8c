"""Asks for a tensor that no machine has room for."""

import tensorflow as tf

side = 1_000_000
table = tf.fill([side, side], 1.0)  # <- cause
print(table.shape)
