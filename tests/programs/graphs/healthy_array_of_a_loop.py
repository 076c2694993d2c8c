"""A TensorArray keeps what a loop of the graph carries on."""

import tensorflow as tf


@tf.function
def simulate(loads):
    depth = tf.zeros_like(loads[:, 0])
    history = tf.TensorArray(tf.float32, size=0, dynamic_size=True)
    for step in tf.range(tf.shape(loads)[1]):
        depth = depth + loads[:, step]
        history = history.write(history.size(), depth)
    return tf.transpose(history.stack())


print(simulate(tf.ones((4, 6))).shape)
