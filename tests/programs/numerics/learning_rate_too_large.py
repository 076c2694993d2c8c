"""Linear regression with a learning rate that makes each step overshoot further."""

import keras
import numpy as np

keras.utils.set_random_seed(18)
rows = np.random.default_rng(18).normal(size=[256, 8]).astype("float32")
targets = rows @ np.arange(8, dtype="float32")[:, None]
model = keras.Sequential([keras.layers.Input([8]), keras.layers.Dense(1)])
model.compile(keras.optimizers.SGD(learning_rate=5.0), "mse")  # <- cause
model.fit(rows, targets, batch_size=8, epochs=4, verbose=0)
