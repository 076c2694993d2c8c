import os

os.environ["TF_CPP_MIN_LOG_LEVEL"] = "2"
import numpy as np
import tensorflow.compat.v1 as tf

tf.disable_v2_behavior()
rng = np.random.default_rng(5)
train_images, train_labels = rng.random((1000, 28, 28, 1), dtype="float32"), rng.integers(0, 10, 1000)
test_images, test_labels = rng.random((10_000, 28, 28, 1), dtype="float32"), rng.integers(0, 10, 10_000)


def conv(inputs, width_in, width_out):
    kernel = tf.Variable(tf.truncated_normal((5, 5, width_in, width_out), stddev=0.1))
    return tf.nn.relu(tf.nn.conv2d(inputs, kernel, strides=1, padding="SAME"))


x = tf.placeholder(tf.float32, (None, 28, 28, 1))
y = tf.placeholder(tf.int64, (None,))
first = tf.nn.max_pool2d(conv(x, 1, 32), 2, 2, "SAME")
second = tf.nn.max_pool2d(conv(first, 32, 64), 2, 2, "SAME")
readout = tf.Variable(tf.truncated_normal((7 * 7 * 64, 10), stddev=0.1))
logits = tf.matmul(tf.reshape(second, (-1, 7 * 7 * 64)), readout)
loss = tf.losses.sparse_softmax_cross_entropy(y, logits)
train = tf.train.AdamOptimizer(1e-3).minimize(loss)
accuracy = tf.reduce_mean(tf.cast(tf.equal(tf.argmax(logits, 1), y), tf.float32))

with tf.Session() as session:
    session.run(tf.global_variables_initializer())
    for start in range(0, 1000, 50):
        batch = slice(start, start + 50)
        session.run(train, {x: train_images[batch], y: train_labels[batch]})
    print("test accuracy", accuracy.eval({x: test_images, y: test_labels}))  # <- cause
