"""The program asks for a row that is not there, and is ready for the answer."""

import tensorflow as tf

table = tf.zeros([3, 2])
try:
    tf.gather(table, [0, 7])
except tf.errors.InvalidArgumentError:
    print("no such row")
