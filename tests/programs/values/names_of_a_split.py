"""The names of a split stand in the order of another function's."""

import keras
import numpy as np


def split(x, y, share=0.8):
    at = int(len(x) * share)
    return x[:at], y[:at], x[at:], y[at:]


features = np.linspace(0, 1, 500, dtype="float32").reshape(100, 5)
labels = (features[:, 0] > 0.5).astype("float32")
x_train, x_test, y_train, y_test = split(features, labels)  # <- cause
model = keras.Sequential([keras.Input((5,)), keras.layers.Dense(1, activation="sigmoid")])
model.compile("adam", "binary_crossentropy")
model.fit(x_train, y_train, validation_data=(x_test, y_test), epochs=1, verbose=0)
