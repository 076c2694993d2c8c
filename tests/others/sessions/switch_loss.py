import os

os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "2")

import numpy as np
import tensorflow.compat.v1 as tf

tf.disable_v2_behavior()
tf.set_random_seed(33)

rng = np.random.default_rng(33)
n_samples, n_in, n_out = 400, 6, 3
x_data = rng.normal(size=(n_samples, n_in)).astype("float32")
truth = rng.normal(size=(n_in, n_out))
best = np.argmax(x_data @ truth, axis=1)
y_data = np.eye(n_out, dtype="float32")[best]

x = tf.placeholder(tf.float32, [None, n_in], name="x")
label = tf.placeholder(tf.float32, [None, n_out], name="label")
pretraining = tf.placeholder(tf.bool, [], name="pretraining")  # <- cause

weights = tf.Variable(tf.random_normal([n_in, n_out], stddev=0.1))
bias = tf.Variable(tf.zeros([n_out]))
output = tf.nn.softmax(tf.matmul(x, weights) + bias)


def cross_entropy():
    return -tf.reduce_mean(tf.reduce_sum(label * tf.log(output + 1e-7), axis=1))


def squared_error():
    return tf.reduce_mean(tf.square(label - output))


if pretraining:  # <- cause
    loss = squared_error()
else:
    loss = cross_entropy()

train_step = tf.train.GradientDescentOptimizer(0.5).minimize(loss)
hit = tf.equal(tf.argmax(output, 1), tf.argmax(label, 1))
accuracy = tf.reduce_mean(tf.cast(hit, tf.float32))

with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    for epoch in range(6):
        early = epoch < 2
        for start in range(0, n_samples, 50):
            feed = {
                x: x_data[start : start + 50],
                label: y_data[start : start + 50],
                pretraining: early,
            }
            _, value = sess.run([train_step, loss], feed_dict=feed)
        print("epoch %d (%s) loss %.4f" % (epoch, "pre" if early else "main", value))
    print("accuracy %.3f" % sess.run(accuracy, feed_dict={x: x_data, label: y_data}))
