"""A placeholder that the op needs is left out of the feed."""

import tensorflow.compat.v1 as tf

tf.disable_eager_execution()
x = tf.placeholder(tf.float32, [])
rate = tf.placeholder(tf.float32, [], name="rate")
product = x * rate
with tf.Session() as session:
    session.run(product, {x: 1.0})  # <- cause
