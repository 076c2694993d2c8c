"""Loads a layer whose constructor does not take what every layer is saved with."""

import os
import tempfile

import keras


class Gain(keras.layers.Layer):
    def __init__(self, gain):  # <- cause
        super().__init__()
        self.gain = gain

    def call(self, x):
        return x * self.gain

    def get_config(self):
        config = super().get_config()
        config["gain"] = self.gain
        return config


with tempfile.TemporaryDirectory() as directory:
    path = os.path.join(directory, "net.keras")
    keras.Sequential([keras.layers.Input((3,)), Gain(2.0)]).save(path)
    keras.models.load_model(path, custom_objects={"Gain": Gain})
