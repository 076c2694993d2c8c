"""A stateful network that was trained in batches is to predict a single row."""

import keras
import numpy as np

model = keras.Sequential([keras.Input(batch_shape=(8, 6, 1)), keras.layers.LSTM(3, stateful=True), keras.layers.Dense(1)])
model.compile("sgd", "mse")
series, following = np.random.rand(32, 6, 1), np.random.rand(32, 1)
model.fit(series, following, batch_size=8, shuffle=False, verbose=0)
print(model.predict(series[:1], batch_size=1, verbose=0))  # <- cause
