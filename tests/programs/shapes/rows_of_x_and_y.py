"""There are more samples than targets."""

import keras
import numpy as np

samples = np.random.rand(40, 3)
answers = np.random.rand(39, 1)
model = keras.Sequential([keras.layers.Dense(1)])
model.compile("sgd", "mse")
model.fit(samples, answers, verbose=0)  # <- cause
