"""An LSTM is given series without an axis of features."""

import keras
import numpy as np

series = np.random.rand(32, 20)
model = keras.Sequential([keras.layers.LSTM(4), keras.layers.Dense(1)])
model.compile("sgd", "mse")
model.fit(series, np.zeros((32, 1)), verbose=0)  # <- cause
