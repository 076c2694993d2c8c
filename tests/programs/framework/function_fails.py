"""A tf.function that gathers past the end, at run time."""

import tensorflow as tf

table = tf.reshape(tf.range(12.0), [4, 3])


@tf.function
def pick(indices):
    return tf.reduce_sum(tf.gather(table, indices))  # <- cause


print(float(pick(tf.constant([0, 1]))))
print(float(pick(tf.constant([3, 4]))))  # <- cause
