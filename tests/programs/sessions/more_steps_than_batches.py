"""A loop counts more steps than the data set has batches."""

import tensorflow as tf

dataset = tf.data.Dataset.range(30).batch(10)
batches = iter(dataset)
total = tf.Variable(0, dtype=tf.int64)
for step in range(5):
    total.assign_add(tf.reduce_sum(next(batches)))  # <- cause
