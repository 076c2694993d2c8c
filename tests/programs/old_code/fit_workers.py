"""Passes to fit what Keras 3 wants to be told by the data set."""

import keras
import numpy as np

x, y = np.ones((16, 2), "float32"), np.ones((16, 1), "float32")
model = keras.Sequential([keras.layers.Input((2,)), keras.layers.Dense(1)])
model.compile("sgd", "mse")
model.fit(x, y, epochs=1, workers=4, use_multiprocessing=True)  # <- cause
