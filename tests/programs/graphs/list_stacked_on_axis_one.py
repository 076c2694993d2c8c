"""A list keeps what a loop of the graph carries on, and is stacked along the second axis."""

import tensorflow as tf


@tf.function
def simulate(loads):
    depth = tf.zeros_like(loads[:, 0])
    history = []
    for step in tf.range(tf.shape(loads)[1]):
        depth = depth + loads[:, step]
        history.append(depth)  # <- cause
    return tf.stack(history, axis=1)


print(simulate(tf.ones((4, 6))).shape)
