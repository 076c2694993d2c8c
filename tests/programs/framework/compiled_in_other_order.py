"""The loss in the place of the optimizer, and the reverse."""

import keras

model = keras.Sequential([keras.Input((4,)), keras.layers.Dense(1)])
model.compile("mean_squared_error", "adam")  # <- cause
