"""Encoder and decoder of small pictures."""
from tensorflow.keras import Input, Model, layers

SIDE, LATENT = 16, 6


def build_encoder():
    inputs = Input((SIDE, SIDE, 1))
    x = layers.Conv2D(8, 3, strides=2, padding="same", activation="relu", name="down_1")(inputs)
    x = layers.Conv2D(16, 3, strides=2, padding="same", activation="relu", name="down_2")(x)
    x = layers.Flatten(name="flat")(x)
    x = layers.Dense(32, activation="relu", name="narrow")(x)
    return Model(inputs, layers.Dense(LATENT, name="code")(x), name="encoder")


def build_decoder():
    inputs = Input((LATENT,))
    x = layers.Dense(4 * 4 * 16, activation="relu", name="wide")(inputs)
    x = layers.Reshape((4, 4, 16), name="grid")(x)
    x = layers.Conv2DTranspose(8, 3, strides=2, padding="same", activation="relu", name="up_1")(x)
    return Model(inputs, layers.Conv2DTranspose(1, 3, strides=2, padding="same", activation="sigmoid",
                                                name="up_2")(x), name="decoder")
