"""A cache without a bound around a method that loads a picture."""

import functools
import os

os.environ["TF_CPP_MIN_LOG_LEVEL"] = "2"

import numpy as np
import tensorflow as tf


class Pictures:
    def __init__(self, count):
        self.count = count
        self.loaded = 0

    @functools.lru_cache(maxsize=None)  # <- cause
    def picture(self, index):
        self.loaded += 1
        return np.random.default_rng(index).random((512, 512, 3), dtype="float32")

    def batches(self):
        generator = np.random.default_rng(0)
        while True:
            yield np.stack([self.picture(int(index)) for index in generator.integers(0, self.count, 8)])


pictures = Pictures(100_000)
for batch in pictures.batches():
    tf.reduce_mean(batch)
    print("held", pictures.loaded * 512 * 512 * 3 * 4, flush=True)
