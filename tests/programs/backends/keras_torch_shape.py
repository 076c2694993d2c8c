"""Keras on torch: the data have another width than the Input was given."""

import os

os.environ["KERAS_BACKEND"] = "torch"
import keras
import numpy as np

FEATURES = 12


def build():
    inputs = keras.Input(shape=(FEATURES,), name="features")  # <- cause
    hidden = keras.layers.Dense(32, activation="relu", name="hidden")(inputs)
    outputs = keras.layers.Dense(1, name="score")(hidden)
    model = keras.Model(inputs, outputs)
    model.compile(optimizer="adam", loss="mse")
    return model


rng = np.random.default_rng(0)
x = rng.normal(size=(256, FEATURES + 3)).astype("float32")  # <- cause
y = rng.normal(size=(256, 1)).astype("float32")
model = build()
model.fit(x, y, batch_size=32, epochs=2, verbose=0)
