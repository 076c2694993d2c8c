"""Adam without its epsilon divides zero by zero for a feature that is never there."""

import keras
import numpy as np

keras.utils.set_random_seed(17)
rows = np.random.default_rng(17).normal(size=[64, 4]).astype("float32")
rows[:, 2] = 0.0
model = keras.Sequential([keras.layers.Input([4]), keras.layers.Dense(1, name="only")])
model.compile(keras.optimizers.Adam(0.01, epsilon=0.0), "mse")  # <- cause
model.fit(rows, rows[:, :1], batch_size=16, epochs=1, verbose=0)
