"""The largest batch that fits into 2 GB, and a training with it: `python examples/batch_size.py`."""

from __future__ import annotations

import keras
import numpy as np

import whydied

x = np.random.default_rng(1).random((2000, 64, 64, 3), dtype="float32")
y = np.arange(2000) % 10
model = keras.Sequential(
    [
        keras.Input((64, 64, 3)),
        keras.layers.Conv2D(32, 3, activation="relu", padding="same"),
        keras.layers.Conv2D(32, 3, activation="relu", padding="same"),
        keras.layers.GlobalAveragePooling2D(),
        keras.layers.Dense(10, activation="softmax"),
    ]
)
model.compile("adam", "sparse_categorical_crossentropy")
found = whydied.fit_batch_size(model, x, y, limit="2G")
print(found)
model.fit(x, y, batch_size=found.batch_size, verbose=2)
