"""Trains a small convolutional network with batches whose activations do not fit."""

import os

os.environ["TF_CPP_MIN_LOG_LEVEL"] = "2"

import keras
import numpy as np

generator = np.random.default_rng(1)
images = generator.random((2048, 64, 64, 3), dtype="float32")
labels = generator.integers(0, 10, 2048)
model = keras.Sequential(
    [
        keras.layers.Input([64, 64, 3]),
        keras.layers.Conv2D(32, 3, padding="same", activation="relu"),
        keras.layers.Conv2D(32, 3, padding="same", activation="relu"),
        keras.layers.GlobalAveragePooling2D(),
        keras.layers.Dense(10),
    ]
)
model.compile("adam", keras.losses.SparseCategoricalCrossentropy(from_logits=True))
model.fit(images, labels, batch_size=1024, epochs=1, verbose=0)  # <- cause
