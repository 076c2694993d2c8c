"""A session is fed with slices of an array, one row of which is NaN; the loss is never fetched."""

import numpy as np
import tensorflow.compat.v1 as tf

tf.disable_eager_execution()
tf.set_random_seed(0)
rng = np.random.default_rng(0)
table = rng.random((320, 6)).astype("float32")
prices = table @ np.arange(6, dtype="float32")[:, None]
table[177, 4] = np.nan  # <- cause

inputs = tf.placeholder(tf.float32, [None, 6], name="inputs")
labels = tf.placeholder(tf.float32, [None, 1], name="labels")
kernel = tf.get_variable("kernel", [6, 1])
bias = tf.get_variable("bias", [1], initializer=tf.zeros_initializer())
loss = tf.reduce_mean(tf.square(tf.matmul(inputs, kernel) + bias - labels))
train = tf.train.AdamOptimizer(0.01).minimize(loss)

with tf.Session() as session:
    session.run(tf.global_variables_initializer())
    for start in range(0, 320, 32):
        feed = {inputs: table[start : start + 32], labels: prices[start : start + 32]}
        session.run(train, feed)  # <- cause
    print("kernel", session.run(kernel).ravel())
