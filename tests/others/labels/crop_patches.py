"""Trains a small network on patches of a satellite picture; the classes come from a vector layer."""

import argparse
import os

os.environ["TF_CPP_MIN_LOG_LEVEL"] = "2"
import numpy as np
import tensorflow as tf


def parse():
    parser = argparse.ArgumentParser()
    parser.add_argument("--nclasses", type=int, default=3, help="number of crops")  # <- cause
    parser.add_argument("--patch", type=int, default=8)
    parser.add_argument("--bands", type=int, default=4)
    parser.add_argument("--epochs", type=int, default=1)
    return parser.parse_args()


def patches(params, seed=3):
    draw = np.random.default_rng(seed)
    crops = np.array([1, 2, 3])  # <- cause
    labels = draw.choice(crops, 200)
    pictures = draw.normal(size=(200, params.patch, params.patch, params.bands)) + labels[:, None, None, None]
    return pictures.astype("float32"), labels.astype("int32")


def model_of(params):
    layers = tf.keras.layers
    return tf.keras.Sequential(
        [
            tf.keras.Input((params.patch, params.patch, params.bands)),
            layers.Conv2D(8, 3, activation="relu"),
            layers.Flatten(),
            layers.Dense(params.nclasses),
        ]
    )


def main():
    params = parse()
    model = model_of(params)
    loss = tf.keras.losses.SparseCategoricalCrossentropy(from_logits=True)
    model.compile(optimizer="adam", loss=loss, metrics=["accuracy"])
    pictures, labels = patches(params)
    model.fit(pictures, labels, batch_size=20, epochs=params.epochs, verbose=2)


if __name__ == "__main__":
    main()
