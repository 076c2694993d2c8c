"""A subclassed model whose table of embeddings alone is larger than the memory."""

import os

os.environ["TF_CPP_MIN_LOG_LEVEL"] = "2"

import keras
import tensorflow as tf

VOCABULARY = 5_000_000


class Recommender(keras.Model):
    def __init__(self):
        super().__init__()
        self.items = keras.layers.Embedding(VOCABULARY, 128)  # <- cause
        self.dense = keras.layers.Dense(1)

    def call(self, ids):
        return self.dense(self.items(ids))


model = Recommender()
print(model(tf.constant([[1, 2, 3]])).shape)
