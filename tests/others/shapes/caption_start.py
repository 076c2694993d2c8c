"""Captions of pictures: the picture is the first step of the sequence, the words follow."""

import numpy as np
from tensorflow import keras
from tensorflow.keras.layers import LSTM, BatchNormalization, Concatenate, Dense, Embedding, Input, RepeatVector

WORDS, STEPS, FEATURES, WIDTH = 80, 10, 48, 32


class Captioner:
    def __init__(self, word_width):
        self.word_width = word_width

    def image_part(self):
        features = Input((FEATURES,), name="features")
        dense = Dense(WIDTH)(BatchNormalization()(features))
        return features, RepeatVector(1)(dense)

    def word_part(self):
        words = Input((STEPS,), name="words")
        return words, Embedding(WORDS, self.word_width)(words)  # <- cause

    def build(self):
        features, image = self.image_part()
        words, text = self.word_part()
        sequence = Concatenate(axis=1)([image, text])
        hidden = LSTM(24, return_sequences=True)(sequence)
        model = keras.Model([features, words], Dense(WORDS, activation="softmax")(hidden))
        model.compile("adam", "sparse_categorical_crossentropy")
        return model


rng = np.random.default_rng(2)
features = rng.random((40, FEATURES)).astype("float32")
words = rng.integers(0, WORDS, (40, STEPS))
following = rng.integers(0, WORDS, (40, STEPS + 1))
Captioner(word_width=1).build().fit([features, words], following, epochs=1, verbose=0)  # <- cause
print("trained on", len(words))
