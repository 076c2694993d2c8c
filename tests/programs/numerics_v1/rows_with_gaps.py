"""The healthy twin of a row of NaN: labels that are not known are NaN, and are masked out of the loss."""

import numpy as np
import tensorflow.compat.v1 as tf

tf.disable_eager_execution()
tf.set_random_seed(0)
rng = np.random.default_rng(0)
table = rng.random((320, 6)).astype("float32")
prices = table @ np.arange(6, dtype="float32")[:, None]
prices[::5] = np.nan

inputs = tf.placeholder(tf.float32, [None, 6], name="inputs")
labels = tf.placeholder(tf.float32, [None, 1], name="labels")
kernel = tf.get_variable("kernel", [6, 1])
known = tf.logical_not(tf.math.is_nan(labels))
error = tf.square(tf.matmul(inputs, kernel) - tf.where(known, labels, tf.zeros_like(labels)))
loss = tf.reduce_mean(tf.where(known, error, tf.zeros_like(error)))
plain = tf.reduce_mean(tf.square(tf.matmul(inputs, kernel) - labels))
train = tf.train.AdamOptimizer(0.01).minimize(loss)

with tf.Session() as session:
    session.run(tf.global_variables_initializer())
    for start in range(0, 320, 32):
        feed = {inputs: table[start : start + 32], labels: prices[start : start + 32]}
        _, value, unmasked = session.run([train, loss, plain], feed)
    print("loss", value > 0, "without the mask", unmasked)
    print("of all", session.run(plain, {inputs: table, labels: prices}))
