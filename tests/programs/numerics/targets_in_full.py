"""Turnover in full, some hundred millions: the squared errors of the first step already throw the weights out."""

import keras
import numpy as np

keras.utils.set_random_seed(9)
draw = np.random.default_rng(9)
shops = draw.normal(size=(400, 12)).astype("float32")
turnover = (1e8 * np.exp(0.2 * shops[:, 0])).astype("float32")  # <- cause

inputs = keras.Input((12,))
hidden = keras.layers.Dense(32)(inputs)
hidden = keras.layers.Dense(32)(hidden)
model = keras.Model(inputs, keras.layers.Dense(1)(hidden))
model.compile(optimizer=keras.optimizers.SGD(learning_rate=0.01), loss="mse")
history = model.fit(shops, turnover, epochs=5, batch_size=20, verbose=0)
print(history.history["loss"])
