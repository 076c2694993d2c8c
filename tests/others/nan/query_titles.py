import os

os.environ["TF_CPP_MIN_LOG_LEVEL"] = "2"

import numpy as np
import tensorflow as tf
from tensorflow import keras

WORDS, LENGTH, NEGATIVES = 80, 6, 3


class Tower(keras.layers.Layer):
    """The sum of the word vectors; padding has none."""

    def __init__(self, width=12):
        super().__init__()
        self.words = keras.layers.Embedding(WORDS, width)

    def call(self, ids):
        present = tf.cast(ids > 0, tf.float32)[..., tf.newaxis]
        return tf.reduce_sum(self.words(ids) * present, axis=-2)


def cosine(query, title):
    dot = tf.reduce_sum(query * title, axis=-1)
    size = tf.sqrt(tf.reduce_sum(query * query, axis=-1)) * tf.sqrt(tf.reduce_sum(title * title, axis=-1))
    return dot / size  # <- cause


class Matcher(keras.Model):
    def __init__(self):
        super().__init__()
        self.queries, self.titles = Tower(), Tower()

    def call(self, inputs):
        query = self.queries(inputs["query"])[:, tf.newaxis, :]
        return 20.0 * cosine(query, self.titles(inputs["titles"]))


def clicks(count=400, seed=17):
    draw = np.random.default_rng(seed)
    titles = draw.integers(1, WORDS, (count, 1 + NEGATIVES, LENGTH))
    queries = titles[:, 0].copy()
    queries[:, 3:] = 0
    titles[263, 2] = 0
    return {"query": queries, "titles": titles}, np.zeros(count, "int32")


def main():
    keras.utils.set_random_seed(4)
    pairs, first = clicks()
    model = Matcher()
    model.compile(keras.optimizers.Adam(1e-3), keras.losses.SparseCategoricalCrossentropy(from_logits=True))
    data = tf.data.Dataset.from_tensor_slices((pairs, first)).batch(32)
    model.fit(data, epochs=2, verbose=2)


if __name__ == "__main__":
    main()
