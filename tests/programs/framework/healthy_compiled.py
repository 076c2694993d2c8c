"""The optimizer, then the loss."""

import keras

model = keras.Sequential([keras.Input((4,)), keras.layers.Dense(1)])
model.compile("adam", "mean_squared_error")
