"""A decorator finds a batch size that fits: it halves it at each error of memory and calls the training again."""

import functools
import gc
import os

os.environ["TF_ENABLE_ONEDNN_OPTS"] = "0"

import tensorflow as tf


def find_executable_batch_size(start):
    def decorate(function):
        @functools.wraps(function)
        def wrapper(*arguments):
            size = start
            while size > 0:
                try:
                    return function(size, *arguments)
                except (tf.errors.ResourceExhaustedError, MemoryError):
                    gc.collect()
                    size //= 2
            raise RuntimeError("no batch size fits")

        return wrapper

    return decorate


@find_executable_batch_size(1 << 24)
def train(size, width):
    weights = tf.Variable(tf.ones((width, 4)))
    total = 0.0
    for _ in range(2):
        with tf.GradientTape() as tape:
            batch = tf.random.normal((min(size, 256), width))
            loss = tf.reduce_mean(tf.square(batch @ weights))
        weights.assign_sub(0.1 * tape.gradient(loss, weights))
        total += float(loss)
        if size > 4096:
            tf.zeros((size, 1 << 24))
    return size, total


size, total = train(8)
print("size", size, total > 0)
