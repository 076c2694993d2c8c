import os

os.environ["TF_CPP_MIN_LOG_LEVEL"] = "2"
import numpy as np
import tensorflow as tf


def smooth(x):
    kernel = np.ones((500, 500))
    return tf.py_function(lambda value: value * kernel[0, 0], [x], tf.float64)  # <- cause


x = tf.ones((10,), tf.float64)
for step in range(100_000):
    x = smooth(x)
    print("held", (step + 1) * 500 * 500 * 8, flush=True)
