"""Loads a compiled model whose loss is a function of the program's own."""

import os
import tempfile

import keras
import numpy as np


def weighted(y_true, y_pred):
    return keras.ops.mean(keras.ops.abs(y_true - y_pred) * 2.0)


def restore(path):
    return keras.models.load_model(path)  # <- cause


with tempfile.TemporaryDirectory() as directory:
    file = os.path.join(directory, "net.keras")
    net = keras.Sequential([keras.layers.Input((3,)), keras.layers.Dense(1)])
    net.compile("sgd", weighted)
    net.fit(np.ones((8, 3)), np.ones((8, 1)), verbose=0)
    net.save(file)
    restore(file)
