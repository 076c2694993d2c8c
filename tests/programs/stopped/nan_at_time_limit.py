"""The loss is NaN from the first epoch on, and the time limit ends the run."""

import keras
import numpy as np

rng = np.random.default_rng(5)
readings = rng.normal(size=(128, 6)).astype("float32")
wanted = rng.normal(size=(128, 1)).astype("float32")
readings[77, 3] = np.nan  # <- cause


model = keras.Sequential([keras.layers.Input((6,)), keras.layers.Dense(8), keras.layers.Dense(1)])
model.compile("sgd", "mse")
model.fit(readings, wanted, epochs=100_000, verbose=0)
