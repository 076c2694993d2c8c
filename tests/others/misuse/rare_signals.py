"""Finds rare signals; the classes are weighted by how seldom they are."""

import keras
import numpy as np


def balanced_weights(labels):
    counts = np.bincount(labels)
    return [len(labels) / (len(counts) * count) for count in counts]


def build(width, classes):
    inputs = keras.Input((width,))
    hidden = keras.layers.Dense(12, activation="relu")(inputs)
    return keras.Model(inputs, keras.layers.Dense(classes, activation="softmax")(hidden))


def train(x, y, epochs=2):
    class_weights = balanced_weights(y)  # <- cause
    model = build(x.shape[1], len(class_weights))
    model.compile("adam", "sparse_categorical_crossentropy", metrics=["accuracy"])
    return model.fit(x, y, epochs=epochs, class_weight=class_weights, verbose=2)  # <- cause


if __name__ == "__main__":
    rng = np.random.default_rng(17)
    signals = rng.normal(size=(300, 9)).astype("float32")
    train(signals, (signals[:, 0] > 1.2).astype("int64"))
