"""One reading of a sensor is missing, in a network that fit trains on arrays."""

import keras
import numpy as np

keras.utils.set_random_seed(1)
rng = np.random.default_rng(1)
readings = rng.normal(size=[320, 6]).astype("float32")
readings[217, 4] = np.nan  # <- cause
targets = rng.normal(size=[320, 1]).astype("float32")

inputs = keras.Input([6])
hidden = keras.layers.Dense(8, activation="relu")(inputs)
model = keras.Model(inputs, keras.layers.Dense(1)(hidden))
model.compile("adam", "mse")
model.fit(readings, targets, batch_size=32, epochs=1, verbose=0)
