"""Trains from a generator with the method of Keras 1."""

import keras
import numpy as np


def batches():
    while True:
        yield np.ones((4, 3), "float32"), np.ones((4, 1), "float32")


model = keras.Sequential([keras.layers.Input((3,)), keras.layers.Dense(1)])
model.compile("sgd", "mse")
model.fit_generator(batches(), steps_per_epoch=2, epochs=1)  # <- cause
