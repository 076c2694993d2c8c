"""A recurrence over vectors of one axis, each multiplied by a matrix: every product of the loop needs the same change."""

import numpy as np
import tensorflow as tf

rng = np.random.default_rng(5)
wind = tf.constant(rng.random((6, 3)), tf.float32)
into = tf.Variable(tf.random.normal([4, 3]))
onto = tf.Variable(tf.random.normal([4, 4]))
state = tf.zeros([4])
for hour in range(6):
    gust = tf.reshape(wind[hour], [3])
    push = tf.matmul(into, gust)  # <- cause
    state = tf.tanh(push + tf.matmul(onto, state))
print(state.numpy())
