"""Trains an autoencoder of digits, stores its weights, and analyses the codes with a fresh model."""

import os
import tempfile

import numpy as np
import tensorflow as tf


class Encoder(tf.keras.layers.Layer):
    def __init__(self, latent, **kwargs):
        super().__init__(**kwargs)
        self.hidden = tf.keras.layers.Dense(24, activation="relu")
        self.mean = tf.keras.layers.Dense(latent)

    def call(self, x):
        return self.mean(self.hidden(x))


class Autoencoder(tf.keras.Model):
    def __init__(self, size, latent):
        super().__init__()
        self.encoder = Encoder(latent)
        self.decoder = tf.keras.Sequential(
            [tf.keras.layers.Dense(24, activation="relu"), tf.keras.layers.Dense(size, activation="sigmoid")]
        )

    def call(self, x):
        return self.decoder(self.encoder(x))


PARAMS = {"size": 64, "latent": 2}


def digits(count):
    rng = np.random.default_rng(24)
    return (rng.random((count, PARAMS["size"])) > 0.6).astype("float32")


def train(path):
    model = Autoencoder(**PARAMS)
    model.compile("adam", "binary_crossentropy")
    x = digits(200)
    model.fit(x, x, epochs=1, verbose=0)
    model.save_weights(path)


def load_model(model_class, path):
    model = model_class(**PARAMS)
    model.load_weights(path)  # <- cause
    return model


def analyse(path):
    model = load_model(Autoencoder, path)
    codes = model.encoder(digits(50)).numpy()
    print("mean code", codes.mean(axis=0))


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as run_folder:
        weights = os.path.join(run_folder, "vae.weights.h5")
        train(weights)
        analyse(weights)
