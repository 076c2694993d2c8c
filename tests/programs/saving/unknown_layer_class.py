"""Loads a model with a layer of its own, without telling Keras of it."""

import os
import tempfile

import keras


class Scale(keras.layers.Layer):
    def __init__(self, factor=2.0, **kwargs):
        super().__init__(**kwargs)
        self.factor = factor

    def call(self, x):
        return x * self.factor

    def get_config(self):
        return {**super().get_config(), "factor": self.factor}


with tempfile.TemporaryDirectory() as directory:
    path = os.path.join(directory, "net.keras")
    keras.Sequential([keras.layers.Input((3,)), Scale(3.0)]).save(path)
    model = keras.models.load_model(path)  # <- cause
    print(model.summary())
