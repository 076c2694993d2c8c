"""A variable is fed in the run that adds to it: what is fed is a value, and cannot be written."""

import tensorflow.compat.v1 as tf

tf.disable_v2_behavior()
caught = tf.placeholder(tf.float32)
total = tf.Variable(0.0)
more = tf.assign_add(total, caught)

with tf.Session() as session:
    session.run(tf.global_variables_initializer())
    for fish in (3.0, 5.0, 1.0):
        print(session.run(more, feed_dict={total: 0.0, caught: fish}))  # <- cause
