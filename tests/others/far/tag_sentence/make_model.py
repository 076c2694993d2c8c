"""Trains a tagger on a small corpus and stores the model and the dictionaries."""
import pickle

import numpy as np
from tensorflow.keras import Input, Sequential
from tensorflow.keras.layers import Bidirectional, Dense, Embedding, LSTM

CORPUS = [
    "the/DT dog/NN barks/VB loudly/RB", "a/DT cat/NN sleeps/VB", "the/DT child/NN reads/VB a/DT book/NN",
    "birds/NN sing/VB early/RB", "the/DT old/JJ man/NN walks/VB slowly/RB", "a/DT red/JJ car/NN stops/VB",
] * 10
MAX_LENGTH = 8


def make_model(model_path, data_path):
    sentences = [[pair.split("/") for pair in line.split()] for line in CORPUS]
    words = sorted({w for s in sentences for w, _ in s})
    tags = sorted({t for s in sentences for _, t in s})
    word2int = {w: i + 1 for i, w in enumerate(words)}
    tag2int = {t: i + 1 for i, t in enumerate(tags)}
    int2tag = {i: t for t, i in tag2int.items()}
    x = np.zeros((len(sentences), MAX_LENGTH), "int32")
    y = np.zeros((len(sentences), MAX_LENGTH), "int32")
    for row, sentence in enumerate(sentences):
        for k, (w, t) in enumerate(sentence):
            x[row, k], y[row, k] = word2int[w], tag2int[t]
    model = Sequential([Input((MAX_LENGTH,)), Embedding(len(words) + 1, 16),
                        Bidirectional(LSTM(16, return_sequences=True)),
                        Dense(len(tags) + 1, activation="softmax")])
    model.compile("adam", "sparse_categorical_crossentropy")
    model.fit(x, y, epochs=4, batch_size=16, verbose=2)
    model.save(model_path)
    with open(data_path, "wb") as f:
        pickle.dump((word2int, int2tag, MAX_LENGTH), f)
