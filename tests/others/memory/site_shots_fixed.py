"""Trains on screenshots of sites in two browsers."""

import os
import random
import tempfile

import numpy as np
from PIL import Image
from tensorflow import keras
from tensorflow.keras import layers
from keras.src.legacy.preprocessing.image import ImageDataGenerator

random.seed(0)
np.random.seed(0)
SIZE = (192, 256)
BATCH = 16


def write_shots(folder, sites):
    """Screenshots of each site in two browsers."""
    for site in range(sites):
        base = np.full((48, 64, 3), np.random.randint(60, 255), np.uint8)
        base[: np.random.randint(5, 40), : np.random.randint(5, 60)] = np.random.randint(0, 255, 3)
        for browser in ("firefox", "chrome"):
            Image.fromarray(base).save(os.path.join(folder, f"{site}_{browser}.png"))


def load_image(folder, name):
    image = Image.open(os.path.join(folder, name)).convert("RGB").resize((SIZE[1], SIZE[0]))
    return np.asarray(image, dtype="float32")


def get_image_data_generator(folder, names):
    data_gen = ImageDataGenerator(rescale=1.0 / 255, horizontal_flip=True)
    return data_gen


def batches(folder, names, data_gen):
    while True:
        chosen = random.sample(names, BATCH)
        x = np.stack([data_gen.standardize(load_image(folder, name)) for name in chosen])
        y = np.array([1.0 if "firefox" in name else 0.0 for name in chosen])
        yield x, y


def network():
    return keras.Sequential(
        [
            layers.Input(SIZE + (3,)),
            layers.Conv2D(8, 5, strides=4, activation="relu"),
            layers.Conv2D(16, 3, strides=2, activation="relu"),
            layers.GlobalAveragePooling2D(),
            layers.Dense(1, activation="sigmoid"),
        ]
    )


def main():
    with tempfile.TemporaryDirectory() as folder:
        write_shots(folder, 1500)
        names = sorted(os.listdir(folder))
        data_gen = get_image_data_generator(folder, names)
        model = network()
        model.compile("adam", "binary_crossentropy")
        model.fit(batches(folder, names, data_gen), steps_per_epoch=15, epochs=2, verbose=2)
    print("done with", len(names), "shots")


main()
