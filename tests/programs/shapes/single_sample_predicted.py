"""One sample is predicted without the axis of the batch."""

import keras
import numpy as np

model = keras.Sequential([keras.layers.Input((8,)), keras.layers.Dense(3)])
sample = np.random.rand(8)
print(model.predict(sample, verbose=0))  # <- cause
