"""The same recurrence with products that take vectors."""

import numpy as np
import tensorflow as tf

rng = np.random.default_rng(5)
wind = tf.constant(rng.random((6, 3)), tf.float32)
into = tf.Variable(tf.random.normal([4, 3]))
onto = tf.Variable(tf.random.normal([4, 4]))
state = tf.zeros([4])
for hour in range(6):
    gust = tf.reshape(wind[hour], [3])
    push = tf.linalg.matvec(into, gust)
    state = tf.tanh(push + tf.linalg.matvec(onto, state))
print(state.numpy())
