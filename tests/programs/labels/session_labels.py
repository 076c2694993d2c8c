"""A v1 session is fed labels; two of them have no output in the network."""

import numpy as np
import tensorflow.compat.v1 as tf

tf.disable_eager_execution()

rng = np.random.default_rng(2)
digits = rng.random((300, 16)).astype("float32")
truth = rng.integers(0, 4, 300).astype("int32")
truth[[77, 210]] = 4, 9

x = tf.placeholder(tf.float32, [None, 16])
y = tf.placeholder(tf.int32, [None])
w = tf.get_variable("w", [16, 4])
loss = tf.reduce_mean(tf.nn.sparse_softmax_cross_entropy_with_logits(labels=y, logits=tf.matmul(x, w)))
step = tf.train.GradientDescentOptimizer(0.1).minimize(loss)

with tf.Session() as session:
    session.run(tf.global_variables_initializer())
    for start in range(0, 300, 50):
        rows = slice(start, start + 50)
        session.run(step, feed_dict={x: digits[rows], y: truth[rows]})  # <- cause
