"""Searches for the number of units by the accuracy, and takes what fit gives for a list of scores."""

import keras
import numpy as np

rng = np.random.default_rng(4)
rows = rng.normal(size=(120, 6)).astype("float32")
kinds = rng.integers(0, 3, 120)
best = {}
for units in (4, 8):
    model = keras.Sequential([keras.Input((6,)), keras.layers.Dense(units, "relu"), keras.layers.Dense(3, "softmax")])
    model.compile("adam", "sparse_categorical_crossentropy", metrics=["accuracy"])
    scores = model.fit(rows, kinds, epochs=1, verbose=0)
    best[units] = scores[1]  # <- cause
print(best)
