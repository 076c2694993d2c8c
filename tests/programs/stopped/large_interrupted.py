"""Large data is loaded once and trained on; nothing is wrong when somebody presses Ctrl-C."""

import os

import keras
import numpy as np

pictures = np.ones((3000, 64, 64, 3), "float32")
wanted = np.zeros((3000, 1), "float32")


class Announce(keras.callbacks.Callback):
    def on_train_batch_end(self, batch, logs=None):
        if batch == 40:
            print("ready", os.getpid(), flush=True)


model = keras.Sequential(
    [keras.layers.Input((64, 64, 3)), keras.layers.GlobalAveragePooling2D(), keras.layers.Dense(1)]
)
model.compile("sgd", "mse")
model.fit(pictures, wanted, batch_size=16, epochs=100_000, verbose=0, callbacks=[Announce()])
