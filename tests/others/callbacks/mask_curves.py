"""Mask detector: trains, keeps the history beside the model, and draws its curves."""

import json
import os
import tempfile

import keras
import numpy as np


def train(folder, epochs):
    rng = np.random.default_rng(5)
    faces = rng.random((120, 12, 12, 1)).astype("float32")
    masked = (faces.mean((1, 2, 3)) > 0.5).astype("float32")
    model = keras.Sequential(
        [
            keras.Input((12, 12, 1)),
            keras.layers.Conv2D(4, 3, activation="relu"),
            keras.layers.GlobalAveragePooling2D(),
            keras.layers.Dense(1, activation="sigmoid"),
        ]
    )
    model.compile("adam", "binary_crossentropy", metrics=["accuracy"])
    H = model.fit(faces, masked, epochs=epochs, validation_split=0.25, verbose=0)
    with open(os.path.join(folder, "history.json"), "w") as f:
        json.dump(H.history, f)


def curve(values, width=30):
    return "".join("#" if value > 0.5 else "." for value in values[:width])


def draw(folder):
    with open(os.path.join(folder, "history.json")) as f:
        history = json.load(f)
    for title, name in (("train loss", "loss"), ("validation loss", "val_loss")):
        print(title, curve(history[name]))
    print("train accuracy", curve(history["acc"]))  # <- cause
    print("validation accuracy", curve(history["val_acc"]))


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as place:
        train(place, epochs=2)
        draw(place)
