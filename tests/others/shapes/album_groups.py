"""Groups the pictures of an album by what a convolutional network makes of them."""

import numpy as np
from tensorflow import keras
from tensorflow.keras import layers

SIDE = 24


class Album:
    def __init__(self, count):
        rng = np.random.default_rng(4)
        self.pictures = []
        for _ in range(count):
            picture = rng.integers(0, 255, (SIDE, SIDE, 3))
            self.pictures.append(picture.flatten())
        self.pictures = np.array(self.pictures, dtype="float32") / 255  # <- cause

    def features(self, model):
        return model.predict(self.pictures, verbose=0)  # <- cause


def network():
    picture = layers.Input((SIDE, SIDE, 3))
    x = layers.Conv2D(8, 3, activation="relu")(picture)
    x = layers.MaxPooling2D(2)(x)
    x = layers.Conv2D(8, 3, activation="relu")(x)
    return keras.Model(picture, layers.GlobalAveragePooling2D()(x))


def main():
    album = Album(30)
    features = album.features(network())
    nearest = np.linalg.norm(features[:, None] - features[None], axis=-1).argsort(axis=1)[:, 1]
    print("nearest of the first", nearest[:5])


main()
