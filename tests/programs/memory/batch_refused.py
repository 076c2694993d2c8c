"""TensorFlow may take 600 MB and no more, and refuses what a large batch needs."""

import os

os.environ["TF_CPP_MIN_LOG_LEVEL"] = "2"
os.environ["TF_MKL_ALLOC_MAX_BYTES"] = str(600 << 20)

import keras
import numpy as np

model = keras.Sequential(
    [
        keras.layers.Input([64]),
        keras.layers.Dense(60_000, activation="relu"),
        keras.layers.Dense(1),
    ]
)
model.compile("sgd", "mse")
rows, scores = np.ones((2048, 64), "float32"), np.ones((2048, 1), "float32")
model.fit(rows[:8], scores[:8], batch_size=8, verbose=0)
model.fit(rows, scores, batch_size=2048, verbose=0)  # <- cause
