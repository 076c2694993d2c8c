"""Complaints are graded 1, 2 or 3; the person one-hot encodes the grades and gives the net three outputs."""

import numpy as np
import pandas as pd
from tensorflow.keras.layers import LSTM, Dense, Embedding, SpatialDropout1D
from tensorflow.keras.models import Sequential
from tensorflow.keras.utils import pad_sequences, to_categorical

VOCABULARY = 400
MAX_LENGTH = 20
CLASSES = 3


def read_complaints(rows=240, seed=21):
    rng = np.random.default_rng(seed)
    texts = [list(rng.integers(1, VOCABULARY, size=rng.integers(4, 30))) for _ in range(rows)]
    return pd.DataFrame({"tokens": texts, "severity": rng.integers(1, 4, size=rows)})


def split(frame, part=0.75):
    frame = frame.sample(frac=1.0, random_state=4).reset_index(drop=True)
    border = int(len(frame) * part)
    return frame.iloc[:border], frame.iloc[border:]


def build():
    model = Sequential()
    model.add(Embedding(VOCABULARY, 16))
    model.add(SpatialDropout1D(0.2))
    model.add(LSTM(16, dropout=0.2))
    model.add(Dense(CLASSES, activation="softmax"))
    model.compile(loss="categorical_crossentropy", optimizer="adam", metrics=["accuracy"])
    return model


complaints = read_complaints()
print(complaints["severity"].value_counts().to_dict())
train, test = split(complaints)

X_train = pad_sequences(train["tokens"], maxlen=MAX_LENGTH)
X_test = pad_sequences(test["tokens"], maxlen=MAX_LENGTH)
y_train = to_categorical(train["severity"] - 1)
y_test = to_categorical(test["severity"] - 1)

model = build()
history = model.fit(X_train, y_train, epochs=2, batch_size=32, verbose=0)
loss, accuracy = model.evaluate(X_test, y_test, verbose=0)
print(f"test loss {loss:.3f} accuracy {accuracy:.3f}")
