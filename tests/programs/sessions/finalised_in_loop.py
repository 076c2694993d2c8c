"""A loop adds an op to a graph that was finalised before."""

import tensorflow.compat.v1 as tf

tf.disable_eager_execution()
value = tf.constant(2.0)
tf.get_default_graph().finalize()
with tf.Session() as session:
    for factor in range(3):
        scaled = value * factor  # <- cause
        print(session.run(scaled))
