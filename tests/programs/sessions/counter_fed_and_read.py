"""A variable is fed in a run that only reads it, which is allowed, and left alone in the run that adds to it."""

import tensorflow.compat.v1 as tf

tf.disable_v2_behavior()
caught = tf.placeholder(tf.float32)
total = tf.Variable(0.0)
more = tf.assign_add(total, caught)
share = caught / (total + 1.0)

with tf.Session() as session:
    session.run(tf.global_variables_initializer())
    for fish in (3.0, 5.0, 1.0):
        print(session.run(more, feed_dict={caught: fish}), session.run(share, feed_dict={total: 9.0, caught: fish}))
