"""The table has one column more than Input says."""

import keras
import numpy as np

table = np.random.rand(32, 9)
inputs = keras.Input(shape=(8,))  # <- cause
model = keras.Model(inputs, keras.layers.Dense(1)(inputs))
model.compile("sgd", "mse")
model.fit(table, np.zeros((32, 1)), verbose=0)
