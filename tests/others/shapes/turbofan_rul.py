import os

os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "2")

import argparse

import numpy as np
from tensorflow import keras
from tensorflow.keras.layers import LSTM, Dense, Dropout, Input


def parse_args():
    parser = argparse.ArgumentParser(description="remaining useful life of small turbines")
    parser.add_argument("--window", type=int, default=20)
    parser.add_argument("--units", type=int, default=10)
    parser.add_argument("--epochs", type=int, default=1)
    return parser.parse_args()


def simulate_engine(rng, cycles, sensors):
    wear = np.linspace(0.0, 1.0, cycles)[:, None] ** 2
    slopes = rng.normal(size=(1, sensors))
    readings = wear * slopes + 0.05 * rng.normal(size=(cycles, sensors))
    remaining = np.arange(cycles, 0, -1, dtype="float32")
    return readings.astype("float32"), remaining


def sequence_windows(readings, remaining, window):
    xs, ys = [], []
    for end in range(window, len(readings) + 1):
        xs.append(readings[end - window:end])
        ys.append(remaining[end - 1])
    return np.array(xs), np.array(ys)


def build_network(window, sensors, units):
    model = keras.Sequential(
        [
            Input(shape=(window, sensors)),
            LSTM(units),
            Dropout(0.1),
            Dense(1),
        ]
    )
    model.compile(loss="mse", optimizer="rmsprop", metrics=["mae"])
    return model


def main():
    args = parse_args()
    rng = np.random.default_rng(4)
    sensors = 24

    train_x, train_y = [], []
    for _ in range(4):
        readings, remaining = simulate_engine(rng, 60, sensors)
        x, y = sequence_windows(readings, remaining, args.window)
        train_x.append(x)
        train_y.append(y)
    train_x = np.concatenate(train_x)
    train_y = np.concatenate(train_y) / 60.0

    model = build_network(args.window, sensors, args.units)
    model.fit(train_x, train_y, epochs=args.epochs, batch_size=32, verbose=0)

    test_x, test_y = simulate_engine(rng, 100, sensors)  # <- cause
    predicted = model.predict(test_x, verbose=0)  # <- cause
    error = np.abs(predicted[:, 0] - test_y / 100.0).mean()
    print(f"mean absolute error on the new engine: {error:.3f}")


if __name__ == "__main__":
    main()
