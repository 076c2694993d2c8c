"""Counts are added to measurements."""

import tensorflow as tf

lengths = tf.constant([1.5, 2.5, 3.5])
counts = tf.constant([1, 2, 3])
total = lengths + counts  # <- cause
print(total)
