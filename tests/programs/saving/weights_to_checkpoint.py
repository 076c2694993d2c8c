"""Saves weights under a name that Keras 3 does not take."""

import keras

model = keras.Sequential([keras.layers.Input((3,)), keras.layers.Dense(1)])
model.save_weights("weights.ckpt")  # <- cause
