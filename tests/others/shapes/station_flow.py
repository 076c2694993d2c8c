"""Forecast of the traffic at some stations: convolution over time per station, then an encoder and a decoder."""

import numpy as np
import tensorflow as tf
from tensorflow.keras import layers

CONFIG = {"stations": 20, "steps": 4, "features": 5, "filters": 8, "units": 12}


class TimeConvolution(layers.Layer):
    """Mixes the features of each station and step. (batch, steps, stations, features) in, filters out."""

    def __init__(self, filters, **kwargs):
        super().__init__(**kwargs)
        self.inner = layers.Conv2D(filters, kernel_size=(3, 1), padding="same", activation="relu")
        self.outer = layers.Conv2D(filters, kernel_size=(1, 1), activation="relu")

    def call(self, inputs):
        return self.outer(self.inner(inputs))


def build(cfg):
    history = layers.Input(shape=(cfg["steps"], cfg["stations"], cfg["features"]))
    mixed = TimeConvolution(cfg["filters"])(history)
    steps = mixed  # <- cause
    encoder = layers.LSTM(cfg["units"], return_sequences=True, return_state=True, name="encoder")
    states, last_h, last_c = encoder(steps)  # <- cause
    decoder = layers.LSTM(cfg["units"], name="decoder")
    decoded = decoder(states, initial_state=[last_h, last_c])
    flow = layers.Dense(cfg["stations"])(decoded)
    return tf.keras.Model(history, flow)


def synthetic_traffic(cfg, samples=160):
    rng = np.random.default_rng(11)
    history = rng.random((samples, cfg["steps"], cfg["stations"], cfg["features"]), dtype=np.float32)
    following = history[:, -1, :, 0] * 0.7 + 0.1
    return history, following


def main():
    history, following = synthetic_traffic(CONFIG)
    model = build(CONFIG)
    model.compile("adam", "mse")
    model.fit(history, following, epochs=1, batch_size=32, verbose=0)
    print("mse", model.evaluate(history, following, verbose=0))


if __name__ == "__main__":
    main()
