"""Convolutional network for road signs in a session, with its own weights."""

import numpy as np
import tensorflow.compat.v1 as tf

tf.disable_eager_execution()

SIDE = 30
CHANNELS = 3
SIGNS = 5


def weight(shape):
    return tf.Variable(tf.truncated_normal(shape, stddev=0.1))


def bias(shape):
    return tf.Variable(tf.constant(0.1, shape=shape))


def conv2d(x, w):
    return tf.nn.conv2d(x, w, strides=[1, 1, 1, 1], padding="SAME")


def max_pool(x):
    return tf.nn.max_pool(x, ksize=[1, 2, 2, 1], strides=[1, 2, 2, 1], padding="SAME")


def network(images, keep):
    h1 = max_pool(tf.nn.relu(conv2d(images, weight([5, 5, CHANNELS, 8])) + bias([8])))
    h2 = max_pool(tf.nn.relu(conv2d(h1, weight([5, 5, 8, 16])) + bias([16])))
    width = 6 * 6 * 16  # <- cause
    flat = tf.reshape(h2, [-1, width])
    h3 = tf.nn.relu(tf.matmul(flat, weight([width, 32])) + bias([32]))
    dropped = tf.nn.dropout(h3, rate=1 - keep)
    return tf.matmul(dropped, weight([32, SIGNS])) + bias([SIGNS])


def batches(count, size):
    rng = np.random.default_rng(40)
    for _ in range(count):
        labels = rng.integers(0, SIGNS, size)
        images = rng.random((size, SIDE, SIDE, CHANNELS)) + labels[:, None, None, None] / SIGNS
        yield images, np.eye(SIGNS)[labels]


def main():
    x = tf.placeholder(tf.float32, [None, SIDE, SIDE, CHANNELS])
    y_ = tf.placeholder(tf.float32, [None, SIGNS])
    keep = tf.placeholder(tf.float32)
    logits = network(x, keep)
    loss = tf.reduce_mean(tf.nn.softmax_cross_entropy_with_logits_v2(labels=y_, logits=logits))
    step = tf.train.AdamOptimizer(1e-3).minimize(loss)
    with tf.Session() as sess:
        sess.run(tf.global_variables_initializer())
        for images, labels in batches(10, 50):
            value, _ = sess.run([loss, step], feed_dict={x: images, y_: labels, keep: 0.7})
        print("loss", value)


if __name__ == "__main__":
    main()
