"""Provokes TensorFlow errors on purpose and goes on: a shape error and an index out of range."""

import tensorflow as tf

for attempt in (lambda: tf.ones([2, 3]) @ tf.ones([2, 3]), lambda: tf.gather([1.0, 2.0], [5])):
    try:
        attempt()
    except tf.errors.OpError as error:
        print(type(error).__name__)
