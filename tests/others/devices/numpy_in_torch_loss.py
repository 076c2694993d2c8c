"""A loss that weighs rare classes, written for TensorFlow and run on PyTorch."""

import os

os.environ["KERAS_BACKEND"] = "torch"
import keras
import numpy as np

WEIGHTS = np.array([0.2, 1.0, 4.0], dtype="float32")


def weighted_error(y_true, y_pred):
    picked = WEIGHTS[np.argmax(y_true, axis=-1)]  # <- cause
    error = np.mean(np.square(y_true - y_pred), axis=-1)  # <- cause
    return picked * error


def make_data(rows):
    rng = np.random.default_rng(3)
    x = rng.normal(size=(rows, 10)).astype("float32")
    y = keras.utils.to_categorical(rng.integers(0, 3, rows), 3)
    return x, y


x, y = make_data(400)
model = keras.Sequential(
    [keras.Input((10,)), keras.layers.Dense(24, activation="relu"), keras.layers.Dense(3, activation="softmax")]
)
model.compile(optimizer="adam", loss=weighted_error)
model.fit(x, y, batch_size=50, epochs=2, verbose=0)
