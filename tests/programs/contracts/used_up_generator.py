"""A generator that was read to its end is given to fit again."""

import keras
import numpy as np

rows = np.random.default_rng(0).random([40, 3], "float32")
model = keras.Sequential([keras.layers.Input([3]), keras.layers.Dense(1)])
model.compile("sgd", "mse")
batches = ((rows[i : i + 10], rows[i : i + 10, :1]) for i in range(0, 40, 10))
model.fit(batches, verbose=0)
model.fit(batches, verbose=0)  # <- cause
