"""Temperatures from three days of measurements every six minutes: making the inputs of the LSTM takes all memory."""

import numpy as np
import pandas as pd
from tensorflow import keras

LOOKBACK = 720
DELAY = 24
COLUMNS = ["temperature", "pressure", "humidity", "wind", "gusts", "rain", "radiation", "dew"]


def read_measurements(rows=44_000):
    rng = np.random.default_rng(31)
    hours = np.arange(rows) / 10
    table = rng.normal(0, 0.3, (rows, len(COLUMNS)))
    table[:, 0] += 10 * np.sin(hours / 24 * 2 * np.pi) + 8 * np.sin(hours / 8766 * 2 * np.pi)
    return pd.DataFrame(table, columns=COLUMNS)


def standardise(frame):
    return ((frame - frame.mean()) / frame.std()).to_numpy(np.float32)


def create_sequences(data, lookback, delay):
    inputs, targets = [], []
    for row in range(lookback, len(data) - delay):
        inputs.append(data[row - lookback : row])
        targets.append(data[row + delay, 0])
    return np.array(inputs), np.array(targets)  # <- cause


def build():
    model = keras.Sequential(
        [
            keras.Input((LOOKBACK, len(COLUMNS))),
            keras.layers.Conv1D(8, 12, strides=12, activation="relu"),
            keras.layers.LSTM(8),
            keras.layers.Dense(1),
        ]
    )
    model.compile("rmsprop", "mae")
    return model


def main():
    data = standardise(read_measurements())
    inputs, targets = create_sequences(data, LOOKBACK, DELAY)  # <- cause
    print("windows", inputs.shape, flush=True)
    model = build()
    model.fit(inputs, targets, batch_size=256, epochs=1, verbose=2)


if __name__ == "__main__":
    main()
