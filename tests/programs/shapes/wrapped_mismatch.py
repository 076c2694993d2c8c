"""The program wraps the error of a shape in one of its own."""

import tensorflow as tf


def project(matrix):
    try:
        return tf.matmul(matrix, tf.ones([4, 2]))  # <- cause
    except tf.errors.InvalidArgumentError as error:
        raise RuntimeError("projection failed") from error


project(tf.ones([3, 5]))
