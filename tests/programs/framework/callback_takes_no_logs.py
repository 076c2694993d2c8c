"""Keras gives a callback more than its method takes."""

import numpy as np
from tensorflow import keras


class Marks(keras.callbacks.Callback):
    def __init__(self):
        super().__init__()
        self.seen = []

    def on_epoch_end(self, epoch):  # <- cause
        self.seen.append(epoch)


rng = np.random.default_rng(4)
model = keras.Sequential([keras.Input((3,)), keras.layers.Dense(1)])
model.compile("sgd", "mse")
model.fit(rng.random((32, 3)), rng.random((32, 1)), epochs=2, verbose=0, callbacks=[Marks()])
