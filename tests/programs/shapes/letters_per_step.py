"""A network that names a letter for each step, trained on numbers of letters with a loss for one-hot rows."""

import numpy as np
from tensorflow import keras

LETTERS, STEPS = 20, 11


def reader():
    steps = keras.Input((STEPS,))
    h = keras.layers.Embedding(LETTERS, 8)(steps)
    h = keras.layers.LSTM(8, return_sequences=True)(h)
    return keras.Model(steps, keras.layers.Dense(LETTERS, activation="softmax")(h))


rng = np.random.default_rng(1)
lines = rng.integers(0, LETTERS, (64, STEPS + 1))
model = reader()
model.compile("adam", "categorical_crossentropy")  # <- cause
model.fit(lines[:, :-1], lines[:, 1:], epochs=1, verbose=0)
