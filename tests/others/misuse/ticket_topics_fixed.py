"""Sorts support tickets by topic; the words to use come from a glossary."""

import keras
import numpy as np
import tensorflow as tf

GLOSSARY = ["printer", "paper", "network", "cable", "password", "login", "screen"]


class TicketModel:
    def __init__(self, length, topics):
        self.length = length
        self.topics = topics
        self.vectorizer = keras.layers.TextVectorization(
            vocabulary=GLOSSARY, output_mode="int", output_sequence_length=length
        )
        self.network = None

    def prepare(self, texts):
        size = self.vectorizer.vocabulary_size()
        self.network = keras.Sequential(
            [
                keras.layers.Embedding(size, 4),
                keras.layers.GlobalAveragePooling1D(),
                keras.layers.Dense(self.topics, activation="softmax"),
            ]
        )
        self.network.compile("adam", "sparse_categorical_crossentropy")

    def fit(self, texts, labels):
        self.prepare(texts)
        return self.network.fit(self.vectorizer(texts), labels, epochs=2, verbose=0)


def read_tickets():
    texts = ["the printer has no paper", "login fails password lost", "network cable broken", "screen is dark"] * 8
    labels = [0, 1, 2, 0] * 8
    return tf.constant(texts), np.array(labels)


tickets, topics = read_tickets()
model = TicketModel(length=6, topics=3)
print(model.fit(tickets, topics).history)
