"""The loss is NaN from the first epoch on, and a scheduler ends the run."""

import os

import keras
import numpy as np

rng = np.random.default_rng(5)
readings = rng.normal(size=(128, 6)).astype("float32")
wanted = rng.normal(size=(128, 1)).astype("float32")
readings[77, 3] = np.nan  # <- cause


class Announce(keras.callbacks.Callback):
    def on_epoch_end(self, epoch, logs=None):
        if epoch == 2:
            print("ready", os.getpid(), flush=True)


model = keras.Sequential([keras.layers.Input((6,)), keras.layers.Dense(8), keras.layers.Dense(1)])
model.compile("sgd", "mse")
model.fit(readings, wanted, epochs=100_000, verbose=0, callbacks=[Announce()])
