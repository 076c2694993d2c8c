"""Keras on jax: a small model that learns, predicts and is saved."""

import os
import tempfile

os.environ["KERAS_BACKEND"] = "jax"
import keras
import numpy as np

rng = np.random.default_rng(0)
x = rng.normal(size=(512, 8)).astype("float32")
y = x @ rng.normal(size=(8, 1)).astype("float32")
model = keras.Sequential([keras.Input((8,)), keras.layers.Dense(16, activation="relu"), keras.layers.Dense(1)])
model.compile(optimizer=keras.optimizers.Adam(1e-2), loss="mse", metrics=["mae"])
model.fit(x, y, batch_size=64, epochs=3, validation_split=0.2, verbose=0)
with tempfile.TemporaryDirectory() as place:
    model.save(os.path.join(place, "model.keras"))
    again = keras.models.load_model(os.path.join(place, "model.keras"))
print(float(np.abs(again.predict(x, verbose=0) - model.predict(x, verbose=0)).max()) < 1e-5)
