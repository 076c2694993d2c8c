"""The feature maps go into the classifier without Flatten."""

import keras
import numpy as np

digits = np.arange(16) % 3
images = np.random.rand(16, 8, 8, 1)
model = keras.Sequential()
model.add(keras.layers.Input((8, 8, 1)))
model.add(keras.layers.Conv2D(4, 3))
model.add(keras.layers.Dense(3, activation="softmax"))  # <- cause
model.compile("sgd", "sparse_categorical_crossentropy")
model.fit(images, digits, verbose=0)
