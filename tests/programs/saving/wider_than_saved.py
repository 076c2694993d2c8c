"""Loads weights into a model whose layer became wider after they were saved."""

import os
import tempfile

import keras
from keras import layers


def build(width):
    return keras.Sequential(  # <- cause
        [
            layers.Input((4,)),
            layers.Dense(width, name="hidden"),
            layers.Dense(3, name="out"),
        ]
    )


with tempfile.TemporaryDirectory() as directory:
    path = os.path.join(directory, "net.weights.h5")
    build(10).save_weights(path)
    model = build(20)
    model.load_weights(path)
