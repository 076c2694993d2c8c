"""A traced loop writes the state of each round to a TensorArray; how many rounds there are is a value."""

import os

os.environ["TF_CPP_MIN_LOG_LEVEL"] = "2"

import tensorflow as tf


@tf.function
def simulate(state, rounds):
    path = tf.TensorArray(tf.float32, size=0, dynamic_size=True, element_shape=state.shape)
    for number in tf.range(rounds):
        state = state + 0.01 * tf.sin(state)
        path = path.write(number, state)  # <- cause
    return path.stack()


particles = tf.random.normal((300_000, 3))
for rounds in (10, 20, 5000):
    simulate(particles, tf.constant(rounds))
