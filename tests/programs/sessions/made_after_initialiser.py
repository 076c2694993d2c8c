"""A variable is made after the initialiser, which does not know it."""

import tensorflow.compat.v1 as tf

tf.disable_eager_execution()
early = tf.Variable(1.0, name="early")
start = tf.global_variables_initializer()  # <- cause
late = tf.Variable(2.0, name="late")
with tf.Session() as session:
    session.run(start)
    print(session.run(early + late))
