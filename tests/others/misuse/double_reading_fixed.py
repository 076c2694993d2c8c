"""Reads a meter twice: its value, and whether it is broken."""

import keras
import numpy as np


def meter_model(width):
    inputs = keras.Input((width,), name="signal")
    hidden = keras.layers.Dense(16, activation="relu")(inputs)
    value = keras.layers.Dense(1, name="value_head")(hidden)
    broken = keras.layers.Dense(1, activation="sigmoid", name="broken_head")(hidden)
    return keras.Model(inputs, [value, broken])


LOSSES = {"value_head": "mse", "broken_head": "binary_crossentropy"}


def compile_model(model, rate):
    model.compile(optimizer=keras.optimizers.Adam(rate), loss=LOSSES)
    return model


def readings(count, width):
    rng = np.random.default_rng(41)
    x = rng.normal(size=(count, width)).astype("float32")
    return x, [x.sum(axis=1, keepdims=True), (x[:, :1] > 1).astype("float32")]


def main():
    x, y = readings(64, 5)
    model = compile_model(meter_model(5), 1e-3)
    history = model.fit(x, y, epochs=2, batch_size=16, verbose=0)
    print(sorted(history.history))


main()
