"""The result of a run gets the name of the tensor, so the second pass fetches a number."""

import tensorflow.compat.v1 as tf

tf.disable_eager_execution()
loss = tf.reduce_sum(tf.ones([3]))
with tf.Session() as session:
    for step in range(2):
        loss = session.run(loss)  # <- cause
