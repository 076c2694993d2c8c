"""Outlines cells in slides of a microscope with a small U-net."""

from dataclasses import dataclass

import numpy as np
from tensorflow import keras
from tensorflow.keras import layers


@dataclass
class Settings:
    side: int = 48
    levels: int = 4
    filters: int = 4


def unet(settings):
    slide = layers.Input((settings.side, settings.side, 1))
    x, skips = slide, {}
    options = {"kernel_size": 3, "activation": "relu", "padding": "same"}
    for level in range(settings.levels):
        x = layers.Conv2D(settings.filters * 2**level, **options)(x)
        if level < settings.levels - 1:
            skips[level] = x
            x = layers.MaxPooling2D(2)(x)
    for level in reversed(range(settings.levels - 1)):
        x = layers.Conv2DTranspose(settings.filters * 2**level, strides=2, **options)(x)
        x = layers.Concatenate()([x, skips[level]])
        x = layers.Conv2D(settings.filters * 2**level, **options)(x)
    return keras.Model(slide, layers.Conv2D(1, 1, activation="sigmoid")(x))


def main():
    settings = Settings()
    rng = np.random.default_rng(1)
    slides = rng.random((8, settings.side, settings.side, 1)).astype("float32")
    model = unet(settings)
    model.compile("adam", "binary_crossentropy")
    model.fit(slides, (slides > 0.5).astype("float32"), verbose=0)
    print("trained on", slides.shape)


main()
