"""Writes the course of a training to TensorBoard: values that the program computes go in by placeholders."""

import tempfile

import numpy as np
import tensorflow.compat.v1 as tf

tf.disable_v2_behavior()


class Board:
    def __init__(self, folder):
        self.train_value = tf.placeholder(tf.float32, [], name="train_value")
        self.valid_value = tf.placeholder(tf.float32, [], name="valid_value")
        self.train_summary = tf.summary.scalar("train_loss", self.train_value)
        self.valid_summary = tf.summary.scalar("valid_loss", self.valid_value)
        self.merged = tf.summary.merge_all()
        self.writer = tf.summary.FileWriter(folder)

    def training(self, sess, value, step):
        summary = sess.run(self.merged, feed_dict={self.train_value: value})  # <- cause
        self.writer.add_summary(summary, step)

    def validation(self, sess, value, step):
        summary = sess.run(self.merged, feed_dict={self.valid_value: value})  # <- cause
        self.writer.add_summary(summary, step)


def regression():
    x = tf.placeholder(tf.float32, [None, 3], name="x")
    y = tf.placeholder(tf.float32, [None, 1], name="y")
    w = tf.get_variable("w", [3, 1])
    loss = tf.reduce_mean(tf.square(tf.matmul(x, w) - y))
    return x, y, loss, tf.train.GradientDescentOptimizer(0.1).minimize(loss)


def rows(count, seed):
    rng = np.random.default_rng(seed)
    x = rng.normal(size=(count, 3))
    return x, x @ np.array([[1.0], [-2.0], [0.5]])


def train(folder):
    x, y, loss, step = regression()
    board = Board(folder)
    valid_x, valid_y = rows(40, seed=99)
    with tf.Session() as sess:
        sess.run(tf.global_variables_initializer())
        for epoch in range(5):
            train_x, train_y = rows(64, seed=epoch)
            value, _ = sess.run([loss, step], {x: train_x, y: train_y})
            board.training(sess, value, epoch)
            board.validation(sess, sess.run(loss, {x: valid_x, y: valid_y}), epoch)
    board.writer.close()
    print("last loss", value)


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as logs:
        train(logs)
