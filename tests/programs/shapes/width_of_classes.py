"""The last layer has another width than the one-hot labels."""

import keras
import numpy as np

labels = keras.utils.to_categorical(np.arange(40) % 5, 5)
features = np.random.rand(40, 6)
model = keras.Sequential(
    [keras.layers.Input((6,)), keras.layers.Dense(16), keras.layers.Dense(10, activation="softmax")]
)
head = model.layers[-1]
model.compile("sgd", "categorical_crossentropy")
model.fit(features, labels, verbose=0)
