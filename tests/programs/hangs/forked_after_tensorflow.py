"""A worker is forked after TensorFlow has run, and multiplies in its turn."""

import multiprocessing

import tensorflow as tf


def score(size):
    weights = tf.random.normal([size, size])
    print(float(tf.reduce_sum(tf.matmul(weights, weights))))


if __name__ == "__main__":
    score(256)
    worker = multiprocessing.get_context("fork").Process(target=score, args=(256,))
    worker.start()  # <- cause
    worker.join()
