"""Healthy: a layer of its own, saved and loaded in three ways."""

import os
import tempfile

import keras
import numpy as np


@keras.saving.register_keras_serializable()
class Scale(keras.layers.Layer):
    def __init__(self, factor=2.0, **kwargs):
        super().__init__(**kwargs)
        self.factor = factor

    def build(self, input_shape):
        self.offset = self.add_weight(shape=(input_shape[-1],), name="offset")

    def call(self, x):
        return x * self.factor + self.offset

    def get_config(self):
        return {**super().get_config(), "factor": self.factor}


model = keras.Sequential([keras.layers.Input((3,)), Scale(3.0), keras.layers.Dense(1)])
x = np.ones((2, 3), "float32")
with tempfile.TemporaryDirectory() as directory:
    for ending in ("keras", "h5"):
        path = os.path.join(directory, f"net.{ending}")
        model.save(path)
        again = keras.models.load_model(path)
        assert np.allclose(again(x), model(x))
    model.save_weights(os.path.join(directory, "net.weights.h5"))
    try:
        model.load_weights(os.path.join(directory, "other.weights.h5"))
    except OSError:
        model.load_weights(os.path.join(directory, "net.weights.h5"))
print("loaded")
