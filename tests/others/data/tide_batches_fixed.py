import math

import numpy as np
import pandas as pd
import tensorflow as tf


def load_gauges(days=600):
    rng = np.random.default_rng(3)
    t = np.arange(days)
    frame = pd.DataFrame(
        {
            "moon_phase": np.sin(2 * np.pi * t / 29.5),
            "pressure": rng.normal(1013, 6, days),
            "wind_u": rng.normal(0, 3, days),
            "wind_v": rng.normal(0, 3, days),
        }
    )
    frame["surge"] = (
        0.8 * frame["moon_phase"]
        - 0.02 * (frame["pressure"] - 1013)
        + 0.05 * frame["wind_u"]
        + rng.normal(0, 0.05, days)
    )
    frame.loc[rng.choice(days, 25, replace=False), "pressure"] = np.nan
    return frame


class GaugeBatches(tf.keras.utils.PyDataset):
    """Serves shuffled batches from a feature frame and a target series."""

    def __init__(self, features, target, batch_size, **kwargs):
        super().__init__(**kwargs)
        self.features = features
        self.target = target
        self.batch_size = batch_size
        self.rng = np.random.default_rng(0)
        self.on_epoch_end()

    def __len__(self):
        return math.ceil(len(self.features) / self.batch_size)

    def __getitem__(self, i):
        rows = self.order[i * self.batch_size : (i + 1) * self.batch_size]
        x = self.features.values[rows].astype("float32")
        y = self.target.iloc[rows].to_numpy(dtype="float32")
        return x, y

    def on_epoch_end(self):
        self.order = self.rng.permutation(len(self.features))


def prepare(frame):
    clean = frame.dropna()
    x = clean.drop(columns="surge")
    x = (x - x.mean()) / x.std()
    return x, clean["surge"]


def main():
    tf.keras.utils.set_random_seed(3)
    x, y = prepare(load_gauges())
    cut = int(len(x) * 0.8)
    train = GaugeBatches(x.iloc[:cut], y.iloc[:cut], batch_size=32)
    valid = GaugeBatches(x.iloc[cut:], y.iloc[cut:], batch_size=32)
    net = tf.keras.Sequential(
        [
            tf.keras.layers.Input((x.shape[1],)),
            tf.keras.layers.Dense(24, activation="tanh"),
            tf.keras.layers.Dense(1),
        ]
    )
    net.compile(optimizer="adam", loss="mse")
    net.fit(train, validation_data=valid, epochs=4, verbose=2)


if __name__ == "__main__":
    main()
