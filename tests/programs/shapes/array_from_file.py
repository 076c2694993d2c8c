"""A saved table has another number of columns than the weights."""

import os
import tempfile

import numpy as np
import tensorflow as tf

with tempfile.TemporaryDirectory() as folder:
    path = os.path.join(folder, "table.npy")
    np.save(path, np.ones((40, 9), "float32"))
    table = np.load(path)
weights = tf.ones([8, 3])
print(tf.linalg.matmul(table, weights))  # <- cause
