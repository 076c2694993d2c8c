"""Digits with plain TensorFlow: two hidden layers and a session."""

import numpy as np
import tensorflow.compat.v1 as tf

tf.disable_eager_execution()

n_inputs, n_hidden, n_outputs = 64, 30, 10


class Digits:
    def __init__(self, count, one_hot):
        rng = np.random.default_rng(7)
        self.numbers = rng.integers(0, n_outputs, count)
        self.pictures = rng.random((count, n_inputs)).astype("float32") + self.numbers[:, None] / n_outputs
        self.labels = np.eye(n_outputs, dtype="int64")[self.numbers] if one_hot else self.numbers
        self.at = 0

    def next_batch(self, size):
        rows = slice(self.at, self.at + size)
        self.at = (self.at + size) % len(self.pictures)
        return self.pictures[rows], self.labels[rows]


def neuron_layer(x, neurons, name, activation=None):
    with tf.name_scope(name):
        inputs = int(x.get_shape()[1])
        w = tf.Variable(tf.truncated_normal((inputs, neurons), stddev=2 / np.sqrt(inputs)), name="kernel")
        b = tf.Variable(tf.zeros([neurons]), name="bias")
        z = tf.matmul(x, w) + b
        return activation(z) if activation is not None else z


digits = Digits(400, one_hot=True)  # <- cause
X = tf.placeholder(tf.float32, shape=(None, n_inputs), name="X")
y = tf.placeholder(tf.int64, shape=None, name="y")
hidden = neuron_layer(X, n_hidden, "hidden", tf.nn.relu)
logits = neuron_layer(hidden, n_outputs, "outputs")
xentropy = tf.nn.sparse_softmax_cross_entropy_with_logits(labels=y, logits=logits)  # <- cause
loss = tf.reduce_mean(xentropy, name="loss")
training_op = tf.train.GradientDescentOptimizer(0.01).minimize(loss)

with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    for iteration in range(8):
        X_batch, y_batch = digits.next_batch(50)
        sess.run(training_op, feed_dict={X: X_batch, y: y_batch})
    print("loss", sess.run(loss, feed_dict={X: X_batch, y: y_batch}))
