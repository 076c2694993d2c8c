"""Casts and copies its data, and lets go of what it does not need any more."""

import os

os.environ["TF_CPP_MIN_LOG_LEVEL"] = "2"

import keras
import numpy as np

rows = np.random.default_rng(0).random((200_000, 40))
rows = rows.astype("float32")
ordered = rows[np.random.default_rng(1).permutation(len(rows))]
del rows
model = keras.Sequential([keras.layers.Input([40]), keras.layers.Dense(8), keras.layers.Dense(1)])
model.compile("sgd", "mse")
model.fit(ordered, np.zeros(len(ordered), "float32"), batch_size=4096, epochs=1, verbose=0)
