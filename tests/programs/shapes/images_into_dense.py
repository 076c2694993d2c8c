"""Images go into a model that wants flat rows."""

import keras
import numpy as np

model = keras.Sequential()
model.add(keras.layers.Input(shape=(784,)))  # <- cause
model.add(keras.layers.Dense(10))
model.compile("sgd", "mse")
images = np.random.rand(64, 28, 28)
wanted = np.random.rand(64, 10)
model.fit(images, wanted, verbose=0)  # <- cause
