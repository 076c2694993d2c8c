"""A mismatch is caught, and later another error ends the program."""

import tensorflow as tf

try:
    tf.ones([2, 3]) + tf.ones([4, 5])
except tf.errors.InvalidArgumentError:
    pass
raise ValueError("the configuration names no shapes of 2 and 3")  # <- cause
