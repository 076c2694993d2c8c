"""Trains with the argument that Keras 1 had for the number of epochs."""

import keras
import numpy as np

x = np.random.default_rng(0).normal(size=(32, 3)).astype("float32")
y = x.sum(axis=1)
model = keras.Sequential([keras.layers.Input((3,)), keras.layers.Dense(1)])
model.compile("sgd", "mse")
history = model.fit(  # <- cause
    x,
    y,
    batch_size=8,
    nb_epoch=3,
)
