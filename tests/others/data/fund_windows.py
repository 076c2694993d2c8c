"""Windows of fund prices, each divided by its first value; with a column that has zeros the loss is nan at once."""

import numpy as np
import pandas as pd
from tensorflow.keras.layers import LSTM, Dense, Input
from tensorflow.keras.models import Sequential


class DataLoader:
    def __init__(self, frame, split, columns):
        cut = int(len(frame) * split)
        self.train = frame[columns].to_numpy()[:cut]
        self.test = frame[columns].to_numpy()[cut:]

    def windows(self, table, length):
        inputs, targets = [], []
        for start in range(len(table) - length):
            window = self.normalise(table[start : start + length])
            inputs.append(window[:-1])
            targets.append(window[-1, 0])
        return np.array(inputs, np.float32), np.array(targets, np.float32)

    @staticmethod
    def normalise(window):
        """Every column relative to its first value."""
        return window / window[0] - 1  # <- cause


def fund_prices(days=3_000):
    rng = np.random.default_rng(23)
    close = 40 * np.exp(rng.normal(0.0002, 0.01, days).cumsum())
    volume = rng.integers(100, 9_000, days).astype(float)
    volume[rng.choice(days, 12, replace=False)] = 0  # holidays
    return pd.DataFrame({"Close": close, "Volume": volume})


def build_model(length, columns):
    model = Sequential()
    model.add(Input((length - 1, columns)))
    model.add(LSTM(24))
    model.add(Dense(1, activation="linear"))
    model.compile(loss="mse", optimizer="adam")
    return model


def main():
    loader = DataLoader(fund_prices(), 0.85, ["Close", "Volume"])
    x, y = loader.windows(loader.train, 30)
    model = build_model(30, 2)
    model.fit(x, y, epochs=2, batch_size=32, verbose=2)
    x_test, y_test = loader.windows(loader.test, 30)
    print("test", model.evaluate(x_test, y_test, verbose=0))


if __name__ == "__main__":
    main()
