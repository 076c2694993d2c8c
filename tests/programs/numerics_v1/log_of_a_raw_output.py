"""A cross entropy that is written out takes the logarithm of a sum that was never made a probability."""

import numpy as np
import tensorflow.compat.v1 as tf

tf.disable_v2_behavior()
draw = np.random.default_rng(0)
pixels = draw.random((500, 64)).astype("float32")
digits = np.eye(10, dtype="float32")[draw.integers(0, 10, 500)]
x = tf.placeholder(tf.float32, [None, 64])
wanted = tf.placeholder(tf.float32, [None, 10])
weights = tf.Variable(tf.truncated_normal([64, 10], stddev=0.1))
bias = tf.Variable(tf.zeros([10]))
predicted = tf.matmul(x, weights) + bias  # <- cause
cost = -tf.reduce_mean(tf.reduce_sum(wanted * tf.log(predicted), 1))
train = tf.train.GradientDescentOptimizer(0.01).minimize(cost)
with tf.Session() as session:
    session.run(tf.global_variables_initializer())
    for step in range(30):
        at = step % 10 * 50
        _, now = session.run([train, cost], {x: pixels[at : at + 50], wanted: digits[at : at + 50]})
    print("cost", now)
