"""Tells people apart by small grey portraits, which are read one by one."""

import numpy as np
from tensorflow import keras
from tensorflow.keras import layers

SIDE = 20
PEOPLE = ["ada", "grace", "alan"]


def read_portraits(count, seed=8):
    rng = np.random.default_rng(seed)
    portraits, people = [], []
    for _ in range(count):
        person = int(rng.integers(0, len(PEOPLE)))
        portrait = rng.random((SIDE, SIDE, 1)).astype("float32") * 0.3
        portrait[person * 6 : person * 6 + 6] += 0.6
        portraits.append(portrait)
        people.append(person)
    return portraits, people


def main():
    portraits, people = read_portraits(60)
    labels = keras.utils.to_categorical(people, len(PEOPLE))
    model = keras.Sequential(
        [
            layers.Input((SIDE, SIDE, 1)),
            layers.Conv2D(6, 3, activation="relu"),
            layers.Flatten(),
            layers.Dense(len(PEOPLE), activation="softmax"),
        ]
    )
    model.compile("adam", "categorical_crossentropy")
    model.fit(portraits, labels, epochs=1, verbose=0)  # <- cause
    print("loss", model.evaluate(np.array(portraits), labels, verbose=0))


main()
