"""A filter in NumPy leaves no rows, and fit says nothing about it."""

import keras
import numpy as np

rows = np.random.default_rng(0).random([100, 3], "float32")
chosen = rows[rows[:, 0] > 1.5]
model = keras.Sequential([keras.layers.Input([3]), keras.layers.Dense(1)])
model.compile("sgd", "mse")
model.fit(chosen, chosen[:, :1], verbose=0)  # <- cause
