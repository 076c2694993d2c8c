"""The style of the old tutorials: a session trains in small feeds, and the last line feeds the whole test set."""

import os

os.environ["TF_CPP_MIN_LOG_LEVEL"] = "2"

import numpy as np
import tensorflow.compat.v1 as tf

tf.disable_v2_behavior()
images = tf.placeholder(tf.float32, [None, 784])
labels = tf.placeholder(tf.int64, [None])
pictures = tf.reshape(images, [-1, 28, 28, 1])
kernel = tf.Variable(tf.truncated_normal([5, 5, 1, 32], stddev=0.1))
hidden = tf.nn.relu(tf.nn.conv2d(pictures, kernel, [1, 1, 1, 1], "SAME"))
wide = tf.Variable(tf.truncated_normal([5, 5, 32, 64], stddev=0.1))
hidden = tf.nn.relu(tf.nn.conv2d(hidden, wide, [1, 1, 1, 1], "SAME"))
flat = tf.reduce_mean(hidden, [1, 2])
logits = tf.matmul(flat, tf.Variable(tf.truncated_normal([64, 10], stddev=0.1)))
loss = tf.reduce_mean(tf.nn.sparse_softmax_cross_entropy_with_logits(labels=labels, logits=logits))
train = tf.train.AdamOptimizer(1e-3).minimize(loss)
accuracy = tf.reduce_mean(tf.cast(tf.equal(tf.argmax(logits, 1), labels), tf.float32))

generator = np.random.default_rng(4)
test_images = generator.random((10_000, 784), dtype="float32")
test_labels = generator.integers(0, 10, 10_000)
with tf.Session() as session:
    session.run(tf.global_variables_initializer())
    for step in range(20):
        rows = slice(50 * step, 50 * step + 50)
        session.run(train, {images: test_images[rows], labels: test_labels[rows]})
    print(accuracy.eval({images: test_images, labels: test_labels}))  # <- cause
