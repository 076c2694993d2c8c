"""Loads a layer whose get_config leaves out what its constructor needs."""

import os
import tempfile

import keras


class Pick(keras.layers.Layer):
    def __init__(self, column, **kwargs):
        super().__init__(**kwargs)
        self.column = column

    def call(self, x):
        return x[:, self.column : self.column + 1]

    def get_config(self):  # <- cause
        return super().get_config()


with tempfile.TemporaryDirectory() as directory:
    path = os.path.join(directory, "net.keras")
    keras.Sequential([keras.layers.Input((3,)), Pick(1)]).save(path)
    keras.models.load_model(path, custom_objects={"Pick": Pick})
