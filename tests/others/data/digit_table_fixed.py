"""The table of a digit competition is read with pandas, and its first column is asked for by its number."""

import os
import tempfile

import numpy as np
import pandas as pd
from tensorflow.keras.layers import Conv2D, Dense, Flatten, Input, MaxPooling2D
from tensorflow.keras.models import Sequential
from tensorflow.keras.utils import to_categorical

SIDE = 8
VALIDATION = 40


def write_competition_file(path, rows=200):
    rng = np.random.default_rng(88)
    pixels = rng.integers(0, 256, size=(rows, SIDE * SIDE))
    frame = pd.DataFrame(pixels, columns=[f"pixel{i}" for i in range(SIDE * SIDE)])
    frame.insert(0, "label", rng.integers(0, 10, size=rows))
    frame.to_csv(path, index=False)


def get_digit_data(path):
    data = pd.read_csv(path)
    print("table", data.shape)
    images = data.iloc[:, 1:].values.astype(np.float32) / 255.0
    images = images.reshape(-1, SIDE, SIDE, 1)
    labels = data.iloc[:, :1].values.ravel()
    labels = to_categorical(labels, 10)
    return (images[VALIDATION:], labels[VALIDATION:]), (images[:VALIDATION], labels[:VALIDATION])


def make_model():
    model = Sequential()
    model.add(Input((SIDE, SIDE, 1)))
    model.add(Conv2D(8, 3, activation="relu"))
    model.add(MaxPooling2D(2))
    model.add(Flatten())
    model.add(Dense(10, activation="softmax"))
    model.compile(loss="categorical_crossentropy", optimizer="adam", metrics=["accuracy"])
    return model


path = os.path.join(tempfile.mkdtemp(), "train.csv")
write_competition_file(path)
(X_train, y_train), (X_val, y_val) = get_digit_data(path)
model = make_model()
model.fit(X_train, y_train, batch_size=32, epochs=2, validation_data=(X_val, y_val), verbose=0)
print("validation", [round(v, 3) for v in model.evaluate(X_val, y_val, verbose=0)])
