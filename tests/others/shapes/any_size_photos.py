"""Sorts holiday photos of any size into a few albums."""

import keras
import numpy as np
from keras import layers

ALBUMS = ["beach", "city", "mountains"]


def feature_extractor(photo):
    x = layers.Rescaling(1 / 255)(photo)
    for filters in (8, 16):
        x = layers.Conv2D(filters, 3, padding="same", activation="relu")(x)
        x = layers.MaxPooling2D()(x)
    return x


def build_model(albums):
    photo = keras.Input(shape=(None, None, 3), name="photo")  # <- cause
    x = feature_extractor(photo)
    x = layers.Flatten()(x)  # <- cause
    x = layers.Dense(32, activation="relu")(x)
    return keras.Model(photo, layers.Dense(albums, activation="softmax")(x))


def photos(count, seed=5):
    draw = np.random.default_rng(seed)
    for _ in range(count):
        height, width = draw.integers(24, 48, 2)
        yield draw.integers(0, 255, (1, height, width, 3)).astype("float32"), draw.integers(0, len(ALBUMS), 1)


def main():
    model = build_model(len(ALBUMS))
    model.compile("adam", "sparse_categorical_crossentropy")
    for photo, album in photos(6):
        print("loss", float(model.train_on_batch(photo, album)))


if __name__ == "__main__":
    main()
