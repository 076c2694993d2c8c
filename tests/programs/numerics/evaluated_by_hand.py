"""An evaluation that trains nothing: the loss of one part divides by a count that is zero, and the sum is printed."""

import tensorflow as tf

PARTS = [[3.0, 4.0], [1.0, 2.0], [], [5.0]]


def loss(values):
    return tf.reduce_sum(values) / tf.cast(tf.size(values), tf.float32)  # <- cause


def evaluate(parts):
    total = tf.constant(0.0)
    for part in parts:
        total += loss(tf.constant(part, tf.float32))
    return total / len(parts)


print("loss", float(evaluate(PARTS)))
