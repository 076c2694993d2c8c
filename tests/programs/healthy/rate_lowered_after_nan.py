"""Keras' own callback stops a training that diverges; the program goes back and takes a smaller rate."""

import keras
import numpy as np

rng = np.random.default_rng(3)
x = rng.normal(size=(256, 8)).astype("float32") * 20
y = x.sum(axis=1, keepdims=True)

for rate in (5.0, 1e-4):
    keras.utils.set_random_seed(1)
    model = keras.Sequential([keras.layers.Input((8,)), keras.layers.Dense(16), keras.layers.Dense(1)])
    model.compile(keras.optimizers.SGD(rate), "mse")
    history = model.fit(x, y, epochs=8, verbose=0, callbacks=[keras.callbacks.TerminateOnNaN()])
    last = history.history["loss"][-1]
    print(rate, "diverged" if not np.isfinite(last) else "trained")
