"""Stateful recurrent model of hourly turbine power."""

import argparse

import numpy as np
from tensorflow import keras


def parse_args():
    parser = argparse.ArgumentParser()
    parser.add_argument("--hours", type=int, default=540)
    parser.add_argument("--window", type=int, default=24)
    parser.add_argument("--batch-size", type=int, default=16)
    parser.add_argument("--units", type=int, default=20)
    return parser.parse_args()


def power_curve(hours):
    rng = np.random.default_rng(8)
    t = np.arange(hours, dtype="float32")
    return (np.sin(t / 12.0) + 0.3 * np.sin(t / 5.0) + rng.normal(0, 0.05, hours)).astype("float32")


def windows(series, size):
    x = np.stack([series[i : i + size] for i in range(len(series) - size)])
    y = series[size:]
    return x[..., np.newaxis], y[..., np.newaxis]


def build(batch_size, window, units):
    inputs = keras.Input(batch_shape=(batch_size, window, 1))
    hidden = keras.layers.LSTM(units, stateful=True)(inputs)
    outputs = keras.layers.Dense(1)(hidden)
    model = keras.Model(inputs, outputs)
    model.compile(optimizer="rmsprop", loss="mae")
    return model


def main():
    args = parse_args()
    x, y = windows(power_curve(args.hours), args.window)
    model = build(args.batch_size, args.window, args.units)
    model.fit(x, y, batch_size=args.batch_size, epochs=1, shuffle=False, verbose=0)  # <- cause
    print("done with", len(x), "windows")


if __name__ == "__main__":
    main()
