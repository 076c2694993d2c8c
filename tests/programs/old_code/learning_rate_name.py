"""Passes the learning rate by the name of Keras 2."""

import keras

model = keras.Sequential([keras.layers.Input((3,)), keras.layers.Dense(1)])
optimizer = keras.optimizers.Adam(lr=0.001)  # <- cause
model.compile(optimizer, "mse")
