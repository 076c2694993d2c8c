import os

os.environ["TF_CPP_MIN_LOG_LEVEL"] = "2"
import numpy as np
import tensorflow as tf


def load(path):
    blob = np.zeros((1000, 800)) + len(path)
    rows = tf.data.Dataset.range(2)
    rows = rows.map(lambda i: tf.numpy_function(lambda k: blob[k], [i], tf.float64))  # <- cause
    return sum(float(tf.reduce_sum(row)) for row in rows)


total = 0.0
for number in range(100_000):
    total += load(f"file {number}")
    print("held", (number + 1) * 1000 * 800 * 8, flush=True)
