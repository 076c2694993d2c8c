"""Sentences are padded with -1, for which the table of a module of the program's own has no row."""

import numpy as np
import tensorflow as tf


class Tagger(tf.Module):
    def __init__(self, words):
        super().__init__()
        self.table = tf.Variable(tf.random.normal([words, 6]))

    def __call__(self, batch):
        return tf.reduce_sum(tf.nn.embedding_lookup(self.table, batch), -1)  # <- cause


rng = np.random.default_rng(13)
tokens = rng.integers(0, 40, (64, 9))
tokens[20, 6:] = -1
tokens[51, 8] = -1
tagger = Tagger(40)
for first in range(0, 64, 16):
    part = tokens[first : first + 16]
    scores = tagger(part)
