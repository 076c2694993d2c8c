"""Builds its inputs in a function, as TensorFlow 1 did."""

import tensorflow as tf


def inputs(width):
    images = tf.placeholder(tf.float32, [None, width])  # <- cause
    labels = tf.placeholder(tf.int64, [None])
    return images, labels


print(inputs(784))
