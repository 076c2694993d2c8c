"""Phones from speech frames; utterances come from a generator."""

import numpy as np
import tensorflow as tf
from tensorflow.keras import layers

FEATURES, PHONES = 6, 5


class Utterances:
    def __init__(self, count, seed=2):
        self.rng = np.random.default_rng(seed)
        self.count = count

    def __call__(self):
        for _ in range(self.count):
            length = int(self.rng.integers(4, 9))
            frames = self.rng.normal(size=(length, FEATURES)).astype("float32")
            phones = self.rng.integers(0, PHONES, length)
            yield [frames, phones]  # <- cause


def dataset(count, batch):
    data = tf.data.Dataset.from_generator(
        Utterances(count),
        output_signature=(
            tf.TensorSpec([None, FEATURES], tf.float32),
            tf.TensorSpec([None], tf.int64),
        ),
    )
    return data.padded_batch(batch)


def recogniser():
    frames = layers.Input((None, FEATURES))
    hidden = layers.GRU(8, return_sequences=True)(frames)
    return tf.keras.Model(frames, layers.Dense(PHONES, activation="softmax")(hidden))


model = recogniser()
model.compile("adam", "sparse_categorical_crossentropy")
model.fit(dataset(24, 8), epochs=1, verbose=2)
