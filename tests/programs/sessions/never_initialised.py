"""A variable is read in a session that never ran an initialiser."""

import tensorflow.compat.v1 as tf

tf.disable_eager_execution()
gain = tf.get_variable("gain", [3])
total = tf.reduce_sum(gain)
with tf.Session() as session:
    print(session.run(total))  # <- cause
