"""Tells walking, running and sitting apart by segments of an acceleration sensor with three axes."""

import numpy as np
from tensorflow import keras
from tensorflow.keras import layers

STEPS, AXES, KINDS = 40, 3, 3


def recorded(count, seed):
    rng = np.random.default_rng(seed)
    kinds = rng.integers(0, KINDS, count)
    time = np.arange(STEPS)[None, :, None]
    speed = (1 + kinds)[:, None, None] / 6
    segments = np.sin(time * speed + rng.random((count, 1, AXES))) + rng.normal(0, 0.1, (count, STEPS, AXES))
    return segments.astype("float32"), kinds


def prepared(segments):
    return segments


def classifier():
    model = keras.Sequential()
    model.add(layers.LSTM(16, return_sequences=True))
    model.add(layers.Dropout(0.5))
    model.add(layers.Dense(20, activation="relu"))
    model.add(layers.Flatten())
    model.add(layers.Dense(KINDS, activation="softmax"))
    model.compile(optimizer="adam", loss="sparse_categorical_crossentropy", metrics=["accuracy"])
    return model


def main():
    segments, kinds = recorded(120, seed=3)
    x = prepared(segments)
    model = classifier()
    model.fit(x, kinds, epochs=1, verbose=0)
    print("accuracy", model.evaluate(x, kinds, verbose=0)[1])


if __name__ == "__main__":
    main()
