"""A thread has a default graph of its own: what it makes cannot be joined with the model of the main thread."""

from concurrent.futures import ThreadPoolExecutor

import numpy as np
import tensorflow.compat.v1 as tf

tf.disable_eager_execution()


class Scorer:
    def __init__(self):
        self.rows = tf.placeholder(tf.float32, [None, 3])
        self.scores = tf.reduce_sum(self.rows, 1)
        self.session = tf.Session()

    def cooled(self, temperature):
        factor = tf.constant(1.0 / temperature)  # <- cause
        scaled = self.scores * factor
        return self.session.run(scaled, {self.rows: np.ones((2, 3))})


scorer = Scorer()
with ThreadPoolExecutor(1) as pool:
    print(pool.submit(scorer.cooled, 2.0).result())
