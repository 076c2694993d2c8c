"""Replies to short questions: an encoder reads the question, a decoder writes a token for every step."""

import numpy as np
from tensorflow.keras import Sequential, layers
from tensorflow.keras.utils import to_categorical

QUESTION, REPLY, SIZE = 12, 6, 40
HIDDEN, DEPTH = 24, 2


class Vocabulary:
    def __init__(self, size):
        self.size = size

    def one_hot(self, rows):
        return to_categorical(rows, self.size)


def pairs(vocabulary, count=64):
    rng = np.random.default_rng(3)
    questions = rng.integers(0, vocabulary.size, (count, QUESTION))
    replies = rng.integers(0, vocabulary.size, (count, REPLY))
    return vocabulary.one_hot(questions), vocabulary.one_hot(replies)


def build(vocabulary):
    model = Sequential([layers.Input((QUESTION, vocabulary.size)), layers.LSTM(HIDDEN), layers.RepeatVector(REPLY)])
    for _ in range(DEPTH):
        model.add(layers.LSTM(HIDDEN, return_sequences=True))
    model.add(layers.TimeDistributed(layers.Dense(vocabulary.size)))
    model.add(layers.Activation("softmax"))
    model.compile(loss="sparse_categorical_crossentropy", optimizer="adam", metrics=["accuracy"])  # <- cause
    return model


def main():
    vocabulary = Vocabulary(SIZE)
    questions, replies = pairs(vocabulary)
    model = build(vocabulary)
    model.fit(questions, replies, batch_size=32, epochs=1, verbose=0)
    print("tokens of the first reply:", model.predict(questions[:1], verbose=0).argmax(-1))


main()
