"""Reads the letters of printed codes: convolutions, then a recurrent layer along the width of the strip."""

import numpy as np
from tensorflow import keras
from tensorflow.keras import layers

IMG_WIDTH, IMG_HEIGHT = 80, 40
LETTERS = 12


def build_model():
    strip = layers.Input((IMG_WIDTH, IMG_WIDTH, 1), name="strip")  # <- cause
    x = layers.Conv2D(8, 3, activation="relu", padding="same")(strip)
    x = layers.MaxPooling2D(2)(x)
    x = layers.Conv2D(16, 3, activation="relu", padding="same")(x)
    x = layers.MaxPooling2D(2)(x)
    steps = (IMG_WIDTH // 4, (IMG_HEIGHT // 4) * 16)
    x = layers.Reshape(steps)(x)  # <- cause
    x = layers.Dense(16, activation="relu")(x)
    x = layers.Bidirectional(layers.LSTM(8, return_sequences=True))(x)
    letters = layers.Dense(LETTERS, activation="softmax")(x)
    return keras.Model(strip, letters)


def strips(count):
    rng = np.random.default_rng(2)
    return rng.random((count, IMG_WIDTH, IMG_HEIGHT, 1)), rng.integers(0, LETTERS, (count, IMG_WIDTH // 4))


def main():
    x, y = strips(16)
    model = build_model()
    model.compile("adam", "sparse_categorical_crossentropy")
    model.fit(x, y, epochs=1, verbose=0)
    print("loss", model.evaluate(x, y, verbose=0))


main()
