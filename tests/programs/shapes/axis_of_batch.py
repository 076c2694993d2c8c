"""Code for batches of pictures, given one picture: the axes count one too many."""

import numpy as np
import tensorflow as tf


def brightness(pictures):
    return tf.reduce_mean(pictures, axis=3)  # <- cause


pictures = tf.constant(np.random.default_rng(2).random((6, 12, 10, 3)), tf.float32)
for number in range(len(pictures)):
    print(number, brightness(pictures[number]).shape)
