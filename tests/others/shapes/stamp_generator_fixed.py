"""Draws stamps: a generator and a discriminator, put together."""

import numpy as np
from tensorflow import keras
from tensorflow.keras.layers import Activation, Conv2D, Dense, Flatten, Input, LeakyReLU, Reshape, UpSampling2D

GENERATE_RES = 3
GENERATE_SQUARE = 8 * GENERATE_RES
SEED_SIZE = 10


def build_generator():
    model = keras.Sequential(name="generator")
    model.add(Input((SEED_SIZE,)))
    model.add(Dense(4 * 4 * 16, activation="relu"))
    model.add(Reshape((4, 4, 16)))
    model.add(UpSampling2D())
    model.add(Conv2D(16, 3, padding="same"))
    model.add(UpSampling2D(GENERATE_RES))
    model.add(Conv2D(8, 3, padding="same"))
    model.add(Activation("relu"))
    model.add(Conv2D(3, 3, padding="same", activation="tanh"))
    return model


def build_discriminator():
    model = keras.Sequential(name="discriminator")
    model.add(Input((GENERATE_SQUARE, GENERATE_SQUARE, 3)))
    model.add(Conv2D(8, 3, strides=2, padding="same"))
    model.add(LeakyReLU())
    model.add(Flatten())
    model.add(Dense(1, activation="sigmoid"))
    return model


def main():
    generator, discriminator = build_generator(), build_discriminator()
    seed = Input((SEED_SIZE,))
    verdict = discriminator(generator(seed))
    combined = keras.Model(seed, verdict)
    combined.compile("adam", "binary_crossentropy")
    noise = np.random.default_rng(0).normal(size=(16, SEED_SIZE))
    print("loss", combined.train_on_batch(noise, np.ones((16, 1))))


main()
