"""A generator feeds fit with padded batches; one of them is padded to a very long row."""

import os

os.environ["TF_CPP_MIN_LOG_LEVEL"] = "2"

import keras
import numpy as np

model = keras.Sequential(
    [
        keras.layers.Input([None, 8]),
        keras.layers.Conv1D(128, 3, padding="same", activation="relu"),
        keras.layers.Conv1D(128, 3, padding="same", activation="relu"),
        keras.layers.GlobalAveragePooling1D(),
        keras.layers.Dense(1),
    ]
)
model.compile("sgd", "mse")


def padded_batches():
    generator = np.random.default_rng(0)
    for number in range(80):
        longest = 60_000 if number == 50 else generator.integers(40, 80)
        yield generator.random((16, longest, 8), dtype="float32"), np.ones((16, 1), "float32")


model.fit(padded_batches(), epochs=1, verbose=0)  # <- cause
