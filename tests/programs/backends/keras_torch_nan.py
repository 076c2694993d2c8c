"""Keras on torch: one row of the data has a zero where a logarithm is taken."""

import os

os.environ["KERAS_BACKEND"] = "torch"
import keras
import numpy as np

rng = np.random.default_rng(0)
x = rng.uniform(0.5, 2.0, size=(512, 4)).astype("float32")
x[300, 2] = 0.0
y = rng.normal(size=(512, 1)).astype("float32")
x = np.log(x)  # <- cause
model = keras.Sequential([keras.Input((4,)), keras.layers.Dense(16, activation="relu"), keras.layers.Dense(1)])
model.compile(optimizer="sgd", loss="mse")
history = model.fit(x, y, batch_size=64, epochs=2, verbose=0, shuffle=False)
loss = history.history["loss"][-1]
if not np.isfinite(loss):
    raise SystemExit(f"loss is {loss}")
