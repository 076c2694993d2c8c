"""Tiny letter classifier on synthetic 6x6 glyphs."""
import os

os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "2")

import string

import numpy as np
from tensorflow import keras
from tensorflow.keras import layers

LETTERS = string.ascii_lowercase
COPIES = 12
SIDE = 6


def draw_glyphs(rng):
    """A random prototype per letter, plus noisy copies of it."""
    images, names = [], []
    for letter in LETTERS:
        prototype = rng.integers(0, 2, size=(SIDE, SIDE))
        for _ in range(COPIES):
            noise = 0.2 * rng.standard_normal((SIDE, SIDE))
            images.append(prototype + noise)
            names.append(letter)
    return np.array(images, dtype="float32"), names


def encode_labels(names):
    codes = np.array([ord(name) - ord("a") for name in names])
    return keras.utils.to_categorical(codes)


def build_classifier():
    model = keras.Sequential(
        [
            keras.Input(shape=(SIDE, SIDE, 1)),
            layers.Conv2D(8, 3, activation="relu"),
            layers.Flatten(),
            layers.Dense(32, activation="relu"),
            layers.Dense(len(LETTERS), activation="softmax"),
        ]
    )
    model.compile(
        optimizer="adam", loss="categorical_crossentropy", metrics=["accuracy"]
    )
    return model


def main():
    keras.utils.set_random_seed(9)
    rng = np.random.default_rng(9)
    images, names = draw_glyphs(rng)
    labels = encode_labels(names)
    order = rng.permutation(len(images))
    images, labels = images[order][..., None], labels[order]
    print("images", images.shape, "labels", labels.shape)

    model = build_classifier()
    history = model.fit(
        images, labels, validation_split=0.2, epochs=4, batch_size=32, verbose=0
    )
    print("accuracy:", round(history.history["accuracy"][-1], 3))
    guess = model.predict(images[:5], verbose=0).argmax(axis=1)
    print("first guesses:", "".join(LETTERS[g] for g in guess))


if __name__ == "__main__":
    main()
