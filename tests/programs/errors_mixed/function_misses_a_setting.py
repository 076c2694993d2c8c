"""A traced step asks for a setting under a name that it does not have."""

import tensorflow as tf

settings = {"learning_rate": 0.1, "momentum": 0.9}
weights = tf.Variable([1.0, 2.0])


@tf.function
def train(rows):
    with tf.GradientTape() as tape:
        loss = tf.reduce_sum(tf.square(weights * rows))
    weights.assign_sub(settings["learn_rate"] * tape.gradient(loss, weights))  # <- cause
    return loss


def run(steps):
    for _ in range(steps):
        train(tf.constant([1.0, 3.0]))


run(3)
