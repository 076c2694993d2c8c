"""A tf.function that makes a variable at each call."""

import tensorflow as tf


@tf.function
def step(x):
    weight = tf.Variable(2.0)  # <- cause
    return weight * x


print(step(tf.constant(1.0)))
