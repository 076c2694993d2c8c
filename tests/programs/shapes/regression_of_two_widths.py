"""The model gives five values a row, the targets have three."""

import keras
import numpy as np

inputs = keras.Input((4,))
outputs = keras.layers.Dense(5)(inputs)  # <- cause
model = keras.Model(inputs, outputs)
model.compile("sgd", "mse")
targets = np.random.rand(32, 3)
model.fit(np.random.rand(32, 4), targets, verbose=0)
