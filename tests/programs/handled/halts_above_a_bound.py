"""Pretraining runs that are halted when the loss is negative, above a bound or NaN; only the others are compared."""

import math

import keras
import numpy as np


class Halt(keras.callbacks.Callback):
    halted = False

    def on_epoch_end(self, epoch, logs=None):
        for name in ("loss", "val_loss"):
            value = logs.get(name)
            if value < 0.0 or math.isnan(value) or value > 100_000.0:
                self.model.stop_training = True
                self.halted = True


def encoder(initial):
    inputs = keras.Input((20,))
    hidden = keras.layers.Dense(64, activation="relu", kernel_initializer=initial)(inputs)
    hidden = keras.layers.Dense(64, activation="relu", kernel_initializer=initial)(hidden)
    outputs = keras.layers.Dense(20, kernel_initializer=initial)(hidden)
    return keras.Model(inputs, outputs)


rng = np.random.default_rng(11)
x = rng.normal(size=(160, 20)).astype("float32")
scores = {}
for name, initial in {
    "wide": keras.initializers.RandomNormal(stddev=1e13, seed=1),
    "usual": keras.initializers.GlorotUniform(seed=1),
}.items():
    model, halt = encoder(initial), Halt()
    model.compile("adam", "mse")
    history = model.fit(x, x, validation_data=(x, x), epochs=3, verbose=0, callbacks=[halt])
    if not halt.halted:
        scores[name] = history.history["val_loss"][-1]
print("kept", sorted(scores))
