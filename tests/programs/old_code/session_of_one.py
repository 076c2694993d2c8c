"""A program of TensorFlow 1: a session adds two numbers."""

import tensorflow as tf

a = tf.constant(2.0)
b = tf.constant(3.0)
with tf.Session() as session:  # <- cause
    print(session.run(a + b))
