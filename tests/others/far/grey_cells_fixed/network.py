"""The segmentation network and what it is built with."""

import keras
from keras import layers

INPUT_CHANNELS = 3
SIDE = 32


def convolutions(x, filters, name):
    x = layers.Conv2D(filters, 3, padding="same", name=f"{name}_a")(x)
    x = layers.BatchNormalization(name=f"{name}_n")(x)
    return layers.Activation("relu")(x)


def unet(channels=None):
    picture = keras.Input((SIDE, SIDE, channels or INPUT_CHANNELS))
    first = convolutions(picture, 8, "first")
    second = convolutions(layers.MaxPooling2D()(first), 16, "second")
    joined = layers.concatenate([layers.UpSampling2D()(second), first])
    mask = layers.Conv2D(1, 1, activation="sigmoid", name="mask")(convolutions(joined, 8, "third"))
    return keras.Model(picture, mask)
