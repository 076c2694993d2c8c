"""Code for pictures alone and in batches, which counts the axes from the end."""

import numpy as np
import tensorflow as tf


def brightness(pictures):
    return tf.reduce_mean(pictures, axis=-1)


pictures = tf.constant(np.random.default_rng(2).random((6, 12, 10, 3)), tf.float32)
for number in range(len(pictures)):
    print(number, brightness(pictures[number]).shape)
