"""A tensor that has its value already is given to a session."""

import tensorflow as tf

answer = tf.constant([1.0, 2.0]) * 3
session = tf.compat.v1.Session()
print(session.run(answer))  # <- cause
