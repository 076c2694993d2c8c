"""Splits the data into parts by fancy indexing and keeps the whole as well."""

import os
import time

os.environ["TF_CPP_MIN_LOG_LEVEL"] = "2"

import numpy as np
import tensorflow as tf


class Data:
    def __init__(self, rows):
        generator = np.random.default_rng(0)
        self.everything = generator.random((rows, 500), dtype="float32")
        order = generator.permutation(rows)
        self.shuffled = self.everything[order]  # <- cause
        self.features = tf.constant(self.shuffled)  # <- cause
        print("mean of each column:", self.shuffled.mean(axis=0)[:3], flush=True)
        time.sleep(0.3)
        self.wide = self.shuffled.astype("float64")  # <- cause


data = Data(120_000)
print(data.features.shape, data.wide.shape)
