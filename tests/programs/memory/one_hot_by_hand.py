"""One-hot rows of a large vocabulary, made by hand for the loss that wants them."""

import keras
import numpy as np

WORDS = 4_000_000


def encode(following):
    rows = np.zeros((len(following), WORDS), dtype="float32")  # <- cause
    for row, word in enumerate(following):
        rows[row, word] = 1.0
    return rows


following = np.random.default_rng(0).integers(0, WORDS, 3_000_000)
targets = encode(following)
model = keras.Sequential([keras.layers.Dense(WORDS, activation="softmax")])
model.compile("adam", "categorical_crossentropy")
model.fit(np.zeros((len(following), 1), "float32"), targets)
