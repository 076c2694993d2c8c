"""Finds defects in frames of a belt camera, with a momentum optimizer."""

import numpy as np
import tensorflow.compat.v1 as tf

tf.disable_v2_behavior()


def network(x):
    w = tf.get_variable("w", [5, 5, 1, 4])
    h = tf.nn.relu(tf.nn.conv2d(x, w, strides=[1, 2, 2, 1], padding="VALID"))
    pooled = tf.reduce_mean(h, axis=[1, 2])
    return tf.squeeze(tf.matmul(pooled, tf.get_variable("out", [4, 1])), 1)


def frames(count):
    rng = np.random.default_rng(6)
    label = rng.integers(0, 2, count)
    return rng.random((count, 20, 20, 1)) + label[:, None, None, None], label.astype("float32")


def fit(sess, train_op, cost, x, y_, data, batch=16):
    pictures, labels = data
    for start in range(0, len(pictures), batch):
        feed = {x: pictures[start : start + batch], y_: labels[start : start + batch]}
        sess.run(train_op, feed_dict=feed)
    return sess.run(cost, feed_dict=feed)


def main():
    x = tf.placeholder(tf.float32, [None, 20, 20, 1], name="x")
    y_ = tf.placeholder(tf.float32, [None], name="y_")
    cost = tf.reduce_mean(tf.nn.sigmoid_cross_entropy_with_logits(logits=network(x), labels=y_))
    step = tf.Variable(0, trainable=False)
    rate = tf.train.exponential_decay(0.05, step, 10, 0.9)
    train_op = tf.train.MomentumOptimizer(rate, 0.9)  # <- cause
    with tf.Session() as sess:
        sess.run(tf.global_variables_initializer())
        print("cost", fit(sess, train_op, cost, x, y_, frames(80)))


if __name__ == "__main__":
    main()
