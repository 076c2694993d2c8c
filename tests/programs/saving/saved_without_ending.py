"""Saves as a directory, the way of Keras 2."""

import keras

model = keras.Sequential([keras.layers.Input((3,)), keras.layers.Dense(1)])
model.save("model_final")  # <- cause
