"""Particle flow network: one small network for each particle, summed over the jet."""

import os
import tempfile

import keras
import numpy as np
from keras import layers, ops


class FlowNetwork:
    def __init__(self, particles, features, phi=(16,), readout=(8,)):
        inputs = keras.Input((particles, features))
        x = inputs
        for units in phi:
            x = layers.TimeDistributed(layers.Dense(units, activation="relu"))(x)
        x = layers.Lambda(lambda t: ops.sum(t, axis=1), output_shape=(phi[-1],), name="sum")(x)  # <- cause
        for units in readout:
            x = layers.Dense(units, activation="relu")(x)
        self.model = keras.Model(inputs, layers.Dense(2, activation="softmax")(x))
        self.model.compile("adam", "sparse_categorical_crossentropy")

    def fit(self, jets, kinds, **kwargs):
        return self.model.fit(jets, kinds, **kwargs)

    def save(self, path):
        self.model.save(path)


def load(path):
    return keras.models.load_model(path)  # <- cause


def main():
    rng = np.random.default_rng(2)
    jets = rng.random((60, 10, 3)).astype("float32")
    pfn = FlowNetwork(10, 3)
    pfn.fit(jets, rng.integers(0, 2, 60), epochs=1, verbose=0)
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "model_pfn.keras")
        pfn.save(path)
        print(load(path).predict(jets[:2], verbose=0).shape)


main()
