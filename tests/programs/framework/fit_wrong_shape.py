"""Trains on rows that are one feature too wide for the model."""

import keras
import numpy as np

model = keras.Sequential([keras.layers.Input([8]), keras.layers.Dense(1)])  # <- cause
model.compile("sgd", "mse")
rows = np.zeros([64, 9], "float32")  # <- cause
targets = np.zeros([64, 1], "float32")
model.fit(rows, targets, batch_size=16, verbose=0)
