"""The rows are not a multiple of the batch that a stateful network keeps its state for."""

import keras
import numpy as np

model = keras.Sequential([keras.Input(batch_shape=(8, 6, 1)), keras.layers.LSTM(3, stateful=True), keras.layers.Dense(1)])
model.compile("sgd", "mse")
series, following = np.random.rand(36, 6, 1), np.random.rand(36, 1)
model.fit(series, following, batch_size=8, shuffle=False, verbose=0)  # <- cause
