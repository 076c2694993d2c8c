import os

os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "2")

import numpy as np
import tensorflow as tf
from tensorflow.keras.layers import LSTM, Conv2D, Dense, Input, Permute

HOURS = 6
STATIONS = 12
CHANNELS = 3
FILTERS = 8


class NeighbourConv(tf.keras.layers.Layer):
    """Convolves along the stations separately for every hour."""

    def __init__(self, filters, **kwargs):
        super().__init__(**kwargs)
        self.conv = Conv2D(filters, (1, 3), padding="same", activation="relu")

    def build(self, input_shape):
        self.conv.build(input_shape)
        super().build(input_shape)

    def call(self, inputs):
        return self.conv(inputs)

    def compute_output_shape(self, input_shape):
        return tuple(input_shape[:-1]) + (self.conv.filters,)


def synthetic_weather(n=160):
    rng = np.random.default_rng(12)
    drift = rng.normal(size=(n, 1, STATIONS, CHANNELS))
    ramp = np.linspace(0.0, 1.0, HOURS)[None, :, None, None]
    past = drift * ramp + 0.1 * rng.normal(size=(n, HOURS, STATIONS, CHANNELS))
    target = drift[:, 0, :, 0] * 1.2
    return past.astype("float32"), target.astype("float32")


def build_model(units=16):
    past = Input(shape=(HOURS, STATIONS, CHANNELS), name="past")
    features = NeighbourConv(FILTERS, name="neighbours")(past)  # <- cause
    features = Permute((1, 3, 2), name="channels_before_stations")(features)  # <- cause

    encoder = LSTM(units, return_sequences=True, return_state=True, name="encoder")  # <- cause
    sequence, state_h, state_c = encoder(features)  # <- cause
    decoded = LSTM(units, name="decoder")(sequence, initial_state=[state_h, state_c])
    forecast = Dense(STATIONS, name="forecast")(decoded)
    return tf.keras.Model(past, forecast)


def main():
    tf.keras.utils.set_random_seed(12)
    past, target = synthetic_weather()
    model = build_model()
    model.compile(optimizer="adam", loss="mae")
    model.fit(past[:128], target[:128], epochs=2, batch_size=32, verbose=2)
    print("validation mae %.3f" % model.evaluate(past[128:], target[128:], verbose=0))


if __name__ == "__main__":
    main()
