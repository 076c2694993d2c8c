"""Autoencoder of features of the basic blocks of binaries, from one table per sample."""

import os
import tempfile

import numpy as np
import pandas as pd
import tensorflow as tf
from tensorflow import keras

keras.utils.set_random_seed(11)

COLUMNS = [
    "arithmetic", "transfer", "calls", "strings", "betweenness", "offspring",
    "api_file", "api_network", "api_registry", "api_crypto", "api_process", "api_debug",
]


def write_features(folder):
    """One table per sample with a row for each basic block of the binary."""
    rng = np.random.default_rng(2)
    for sample in range(8):
        rows = rng.integers(200, 400)
        table = {name: rng.poisson(2 + i, rows) for i, name in enumerate(COLUMNS)}
        table["betweenness"] = rng.random(rows).round(4)
        table["api_debug"] = np.zeros(rows, int)
        pd.DataFrame(table).to_csv(os.path.join(folder, f"sample{sample}.csv"), index=False)


def load_features(folder):
    parts = [pd.read_csv(os.path.join(folder, name)) for name in sorted(os.listdir(folder))]
    return pd.concat(parts, ignore_index=True).to_numpy("float32")


def normalize(features):
    highest = features.max(axis=0)
    highest[highest == 0] = 1.0
    return features / highest


def autoencoder(width):
    return keras.Sequential(
        [
            keras.layers.Input((width,)),
            keras.layers.Dense(8, activation="relu"),
            keras.layers.Dense(4, activation="relu"),
            keras.layers.Dense(8, activation="relu"),
            keras.layers.Dense(width),
        ]
    )


def main():
    with tempfile.TemporaryDirectory() as folder:
        write_features(folder)
        features = load_features(folder)
    print("blocks:", features.shape)
    features = normalize(features)
    train, test = features[:-300], features[-300:]
    model = autoencoder(features.shape[1])
    model.compile(optimizer="adam", loss="mse", metrics=["mse"])
    model.fit(train, train, epochs=5, batch_size=64, validation_data=(test, test), verbose=2)
    error = tf.reduce_mean(tf.square(model(test) - test), axis=1).numpy()
    print("highest reconstruction error:", error.max())


main()
