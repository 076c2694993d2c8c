"""A table of text goes into fit."""

import keras
import numpy as np

table = np.array([["1.5", "2.5"], ["3.5", "n/a"]] * 8)
model = keras.Sequential([keras.layers.Input((2,)), keras.layers.Dense(1)])
model.compile("sgd", "mse")
model.fit(table, np.zeros((16, 1)), verbose=0)  # <- cause
