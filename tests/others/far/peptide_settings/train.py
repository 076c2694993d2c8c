"""Peptide scores from spectra; everything that can be set is in settings.yaml."""

import pathlib

import keras
import numpy as np
import yaml


class Settings:
    def __init__(self, path):
        with open(path) as f:  # <- cause
            self._params = yaml.safe_load(f)  # <- cause

    def __getitem__(self, key):
        return self._params[key]


def build(settings, peaks):
    model = keras.Sequential([keras.Input((peaks,))])
    for _ in range(settings["depth"]):
        model.add(keras.layers.Dense(settings["width"], activation="relu"))
    model.add(keras.layers.Dense(1))
    model.compile(keras.optimizers.Adam(learning_rate=settings["learning_rate"]), "mse")  # <- cause
    return model


def main():
    settings = Settings(pathlib.Path(__file__).parent / "settings.yaml")
    spectra = np.random.default_rng(2).random((100, 30)).astype("float32")
    model = build(settings, spectra.shape[1])
    model.fit(spectra, spectra.sum(1), batch_size=settings["batch_size"], epochs=settings["epochs"], verbose=2)


main()
