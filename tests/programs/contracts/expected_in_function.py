"""A declared contract inside of a tf.function."""

import tensorflow as tf

import whydied


@tf.function
def normalised(rows):
    rows = whydied.expect(rows, "_ 3", low=0.0, name="rows")  # <- cause
    return tf.math.log1p(rows)


normalised(tf.ones([4, 3]))
normalised(tf.constant([[1.0, 2.0, 3.0], [4.0, -5.0, 6.0]]))
