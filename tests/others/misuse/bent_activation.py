"""Regression with an activation of its own: linear above zero, bent below."""

import keras
import numpy as np


def bent(x):
    if x > 0:  # <- cause
        return x
    return 0.25 * keras.ops.tanh(4 * x)


def build_network(width, hidden=(32, 16), activation=bent):
    inputs = keras.Input(shape=(width,))
    x = inputs
    for units in hidden:
        x = keras.layers.Dense(units, activation=activation)(x)
    return keras.Model(inputs, keras.layers.Dense(1)(x))


def main():
    rng = np.random.default_rng(31)
    x = rng.normal(size=(256, 5)).astype("float32")
    y = np.abs(x).sum(axis=1)
    network = build_network(x.shape[1])
    network.compile(optimizer="adam", loss="mae")
    network.fit(x, y, epochs=2, verbose=2)


if __name__ == "__main__":
    main()
