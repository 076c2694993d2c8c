"""Weights of another model, kept as whole numbers, are loaded as they are: finite, and far too large for this one."""

import os
import tempfile

import keras
import numpy as np


def build():
    return keras.Sequential(
        [keras.Input((6,))] + [keras.layers.Dense(24, activation="relu") for _ in range(5)] + [keras.layers.Dense(1)]
    )


def export(path):
    keras.utils.set_random_seed(11)
    arrays = [np.round(2.0**31 * weight) for weight in build().get_weights()]
    np.savez(path, *arrays)


def restore(model, path):
    with np.load(path) as kept:
        model.set_weights([kept[name] for name in kept.files])  # <- cause


with tempfile.TemporaryDirectory() as place:
    path = os.path.join(place, "weights.npz")
    export(path)
    model = build()
    restore(model, path)
model.compile(keras.optimizers.SGD(1e-4), "mse")
rows = np.random.default_rng(11).normal(size=(256, 6)).astype("float32")
model.fit(rows, rows.sum(axis=1), batch_size=32, epochs=2, verbose=2)
