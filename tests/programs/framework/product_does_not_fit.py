"""Told to people as out of memory: the inner sizes of a product are 3 and 10000."""

import os

os.environ["TF_CPP_MIN_LOG_LEVEL"] = "2"

import tensorflow as tf

left = tf.ones([10_000, 10, 3])
product = tf.matmul(left, left)  # <- cause
print(product.shape)
