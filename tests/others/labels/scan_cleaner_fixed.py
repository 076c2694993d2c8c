"""An autoencoder that cleans scanned pages."""

import numpy as np
from tensorflow import keras
from tensorflow.keras.layers import Conv2D, Input, MaxPooling2D, UpSampling2D

HEIGHT, WIDTH = 56, 88


def pages(count):
    rng = np.random.default_rng(9)
    clean = np.ones((count, HEIGHT, WIDTH, 1), "float32")
    clean[:, 10:50:6, 8:80] = 0.1
    return np.clip(clean + rng.normal(0, 0.1, clean.shape), 0, 1).astype("float32"), clean


def autoencoder():
    page = Input((HEIGHT, WIDTH, 1))
    x = page
    for filters in (8, 4, 4):
        x = Conv2D(filters, 3, activation="relu", padding="same")(x)
        x = MaxPooling2D(2, padding="same")(x)
    for filters in (4, 4, 8):
        x = Conv2D(filters, 3, activation="relu", padding="same")(x)
        x = UpSampling2D(2)(x)
    return keras.Model(page, Conv2D(1, 3, activation="sigmoid", padding="same")(x))


def main():
    dirty, clean = pages(12)
    model = autoencoder()
    model.compile(optimizer="adam", loss="binary_crossentropy")
    model.fit(dirty, clean, epochs=1, batch_size=4, verbose=0)
    print("loss", model.evaluate(dirty, clean, verbose=0))


main()
