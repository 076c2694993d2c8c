"""Trains a leaf classifier and converts its file for a small board."""

import os
import tempfile

import numpy as np
import tensorflow as tf
from tensorflow import lite

IMAGE_SIZE = 12


def train(path):
    rng = np.random.default_rng(1)
    pictures = rng.uniform(size=(40, IMAGE_SIZE, IMAGE_SIZE, 3)).astype("float32")
    kinds = rng.integers(0, 3, size=40)
    model = tf.keras.Sequential(
        [
            tf.keras.Input((IMAGE_SIZE, IMAGE_SIZE, 3)),
            tf.keras.layers.Flatten(),
            tf.keras.layers.Dense(3, activation="softmax"),
        ]
    )
    model.compile("adam", "sparse_categorical_crossentropy")
    model.fit(pictures, kinds, epochs=1, verbose=0)
    model.save(path)


def convert(path):
    converter = lite.TFLiteConverter.from_keras_model(tf.keras.models.load_model(path))
    converter.optimizations = [lite.Optimize.DEFAULT]
    return converter.convert()


def main():
    with tempfile.TemporaryDirectory() as folder:
        saved = os.path.join(folder, "leaves.h5")
        train(saved)
        flat = convert(saved)
        with open(os.path.join(folder, "leaves.tflite"), "wb") as file:
            file.write(flat)
        print(len(flat) > 0)


main()
