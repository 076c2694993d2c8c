"""Feeds any number of rows to a graph that has it nowhere."""

import numpy as np
import tensorflow.compat.v1 as tf

tf.disable_v2_behavior()
ROWS, SIDE, KINDS = 10, 6, 3
random = np.random.RandomState(0)
pictures = random.rand(40, SIDE * SIDE).astype("float32")
kinds = np.eye(KINDS)[random.randint(0, KINDS, 40)]

flat = tf.placeholder(tf.float32, [None, SIDE * SIDE])
labels = tf.placeholder(tf.float32, [None, KINDS])
kernel = tf.get_variable("kernel", [3, 3, 1, 4])
maps = tf.nn.relu(tf.nn.conv2d(tf.reshape(flat, [-1, SIDE, SIDE, 1]), kernel, 2, "SAME"))
weights = tf.get_variable("weights", [3 * 3 * 4, KINDS])
scores = tf.matmul(tf.reshape(maps, [-1, 3 * 3 * 4]), weights)
loss = tf.reduce_mean(tf.nn.softmax_cross_entropy_with_logits(labels=labels, logits=scores))
step = tf.train.GradientDescentOptimizer(0.1).minimize(loss)
right = tf.reduce_mean(tf.cast(tf.equal(tf.argmax(scores, 1), tf.argmax(labels, 1)), tf.float32))

with tf.Session() as session:
    session.run(tf.global_variables_initializer())
    for first in range(0, 30, ROWS):
        part = slice(first, first + ROWS)
        session.run(step, {flat: pictures[part], labels: kinds[part]})
    print(session.run(right, {flat: pictures[30:35], labels: kinds[30:35]}))
