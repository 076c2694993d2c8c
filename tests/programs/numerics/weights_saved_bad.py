"""Weights from an earlier run hold a NaN."""

import keras
import numpy as np

keras.utils.set_random_seed(15)
model = keras.Sequential([keras.layers.Input([4]), keras.layers.Dense(3, name="first"), keras.layers.Dense(1)])
saved = [np.array(weight) for weight in model.get_weights()]
saved[0][2, 1] = np.nan
model.set_weights(saved)  # <- cause
model.compile("adam", "mse")
rows = np.random.default_rng(15).normal(size=[64, 4]).astype("float32")
model.fit(rows, rows[:, :1], batch_size=16, epochs=1, verbose=0)
