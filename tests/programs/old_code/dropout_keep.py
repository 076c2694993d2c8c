"""Drops with the probability to keep, as TensorFlow 1 had it."""

import tensorflow as tf

hidden = tf.ones((4, 4))
kept = tf.nn.dropout(hidden, keep_prob=0.8)  # <- cause
print(tf.reduce_sum(kept))
