"""Rows as a list, stacked into an array, then made into a tensor, all kept."""

import os

os.environ["TF_CPP_MIN_LOG_LEVEL"] = "2"

import numpy as np
import tensorflow as tf


def load(count):
    generator = np.random.default_rng(0)
    return generator.random((count, 128, 128, 3), dtype="float32")


pictures = load(1200)
stacked = np.concatenate([pictures, pictures[:1]])  # <- cause
tensor = tf.constant(pictures)  # <- cause
second = tf.identity(tf.constant(pictures.copy()))  # <- cause
dataset = tf.data.Dataset.from_tensor_slices((second, tf.zeros([1200])))
for batch, _ in dataset.batch(64):
    print(float(tf.reduce_mean(batch)))
print(len(pictures), len(stacked), tensor.shape, second.shape)
