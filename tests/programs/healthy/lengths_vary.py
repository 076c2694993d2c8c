"""Batches of different lengths, the longest of which fits."""

import os

os.environ["TF_CPP_MIN_LOG_LEVEL"] = "2"

import keras
import numpy as np
import tensorflow as tf

embedding, head = keras.layers.Embedding(500, 16), keras.layers.Dense(1)


@tf.function(reduce_retracing=True)
def score(tokens):
    return head(tf.reduce_mean(embedding(tokens), 1))


generator = np.random.default_rng(0)
for length in [*generator.integers(10, 40, 40), 4000, *generator.integers(10, 40, 10)]:
    result = score(tf.constant(generator.integers(0, 500, (16, length))))
print(result.shape)
