"""Classifier of lower-case letters drawn on a small grid. The labels come as characters."""

import string

import numpy as np
from tensorflow import keras
from tensorflow.keras.utils import to_categorical

LETTERS = string.ascii_lowercase
GRID = 12


def draw(letter, rng):
    code = LETTERS.index(letter)
    grid = rng.normal(0.0, 0.1, (GRID, GRID))
    grid[code % GRID, :] += 1.0
    grid[:, (code * 5) % GRID] += 0.5
    return grid


def load(count):
    rng = np.random.default_rng(14)
    names = rng.choice(list(LETTERS), size=count)
    x = np.stack([draw(name, rng) for name in names]).astype("float32")
    y = np.array([ord(name) for name in names])  # <- cause
    return x.reshape(count, GRID * GRID), y


def build():
    return keras.Sequential(
        [
            keras.layers.Input((GRID * GRID,)),
            keras.layers.Dense(64, activation="relu"),
            keras.layers.Dropout(0.2),
            keras.layers.Dense(len(LETTERS), activation="softmax"),
        ]
    )


def main():
    x, y = load(780)
    targets = to_categorical(y)
    model = build()
    model.compile(loss="categorical_crossentropy", optimizer="adam", metrics=["accuracy"])
    model.fit(x, targets, batch_size=32, epochs=2, validation_split=0.1, verbose=0)
    print("trained on", len(x), "letters")


if __name__ == "__main__":
    main()
