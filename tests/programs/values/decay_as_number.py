"""A decay is written as a number in the settings, and used in the first step of the optimizer."""

import keras
import numpy as np


class Settings:
    rate = 0.001
    beta = 0.98


def build(settings):
    model = keras.Sequential([keras.Input((4,)), keras.layers.Dense(1)])
    model.compile(keras.optimizers.Adam(settings.rate, beta_2=settings.beta), "mse")
    return model


model = build(Settings)
model.fit(np.ones((16, 4), "float32"), np.ones(16), verbose=0)
