"""A session reads a variable that nobody initialised."""

import tensorflow.compat.v1 as tf

tf.disable_eager_execution()
rate = tf.get_variable("rate", [], tf.float32)
doubled = rate * 2
with tf.Session() as session:
    print(session.run(doubled))  # <- cause
