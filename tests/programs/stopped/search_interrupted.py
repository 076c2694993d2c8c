"""A search whose first trial diverged and was dropped; the second one is healthy when somebody presses Ctrl-C."""

import os

import keras
import numpy as np

rng = np.random.default_rng(1)
x = rng.normal(size=(256, 8)).astype("float32") * 20
y = x.sum(axis=1, keepdims=True)


class Announce(keras.callbacks.Callback):
    def on_epoch_end(self, epoch, logs=None):
        if epoch == 20:
            print("ready", os.getpid(), flush=True)


def trial(rate, epochs):
    model = keras.Sequential([keras.layers.Input((8,)), keras.layers.Dense(16), keras.layers.Dense(1)])
    model.compile(keras.optimizers.SGD(rate), "mse")
    stop = keras.callbacks.TerminateOnNaN()
    return model.fit(x, y, epochs=epochs, verbose=0, callbacks=[stop, Announce()]).history["loss"][-1]


scores = {}
for rate, epochs in ((5.0, 10), (1e-5, 100_000)):
    loss = trial(rate, epochs)
    if np.isfinite(loss):
        scores[rate] = loss
print(scores)
