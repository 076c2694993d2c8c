"""Fits a model on crops that a generator function yields."""

import keras
import numpy as np

BATCH = 8
SIDE = 10


def build():
    model = keras.Sequential()
    model.add(keras.Input((SIDE, SIDE, 1)))
    model.add(keras.layers.Conv2D(4, 3, activation="relu"))
    model.add(keras.layers.GlobalMaxPooling2D())
    model.add(keras.layers.Dense(2, activation="softmax"))
    model.compile("adam", "sparse_categorical_crossentropy", metrics=["accuracy"])
    return model


def data_generator():
    rng = np.random.default_rng(23)
    while True:
        crops = rng.uniform(size=(BATCH, SIDE, SIDE, 1)).astype("float32")
        yield crops, (crops.mean(axis=(1, 2, 3)) > 0.5).astype("int64")


def train(generator, steps):
    model = build()
    return model.fit(generator, steps_per_epoch=steps, epochs=1, verbose=0)


if __name__ == "__main__":
    history = train(data_generator(), steps=5)
    print(sorted(history.history))
