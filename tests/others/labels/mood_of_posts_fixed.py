"""Moods of posts: 1 is angry, 2 is calm, 3 is happy."""

import numpy as np
from tensorflow.keras.layers import LSTM, Dense, Embedding
from tensorflow.keras.models import Sequential
from tensorflow.keras.utils import to_categorical

WORDS, LENGTH = 300, 12


def posts(count):
    rng = np.random.default_rng(8)
    words = rng.integers(1, WORDS, (count, LENGTH))
    moods = 1 + (words.sum(axis=1) % 3)
    return words, moods


words, moods = posts(200)
y = to_categorical(moods - 1)
x_train, x_test, y_train, y_test = words[:160], words[160:], y[:160], y[160:]

model = Sequential()
model.add(Embedding(WORDS, 8))
model.add(LSTM(10))
model.add(Dense(3, activation="softmax"))
model.compile(loss="categorical_crossentropy", optimizer="adam", metrics=["accuracy"])
model.fit(x_train, y_train, validation_data=(x_test, y_test), epochs=1, batch_size=40, verbose=0)
print("trained on", len(x_train))
