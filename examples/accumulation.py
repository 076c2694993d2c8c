"""A batch of 256 rows in four parts of 64, with the updates of the whole: `python examples/accumulation.py`."""

from __future__ import annotations

import keras
import numpy as np

import whydied

x = np.random.default_rng(1).normal(size=(2000, 8)).astype("float32")
y = x.sum(axis=1, keepdims=True)
optimizer = whydied.accumulate(keras.optimizers.Adam(0.01), steps=4)
model = keras.Sequential([keras.Input((8,)), keras.layers.Dense(16, activation="relu"), keras.layers.Dense(1)])
model.compile(optimizer, "mse")
# The last window of an epoch has fewer batches than four.
flush = keras.callbacks.LambdaCallback(on_epoch_end=lambda *_: optimizer.flush())
model.fit(x, y, batch_size=64, epochs=3, verbose=2, callbacks=[flush])
print(f"{int(optimizer.iterations)} updates")
