"""An op that takes the second axis of a vector, which it has not, and aborts."""

import tensorflow as tf

zero = tf.constant(0, dtype=tf.int64)
row = tf.constant([0], dtype=tf.int64)
tf.raw_ops.Unbatch(batched_tensor=tf.constant([1]), batch_index=row, id=zero, timeout_micros=0)  # <- cause
