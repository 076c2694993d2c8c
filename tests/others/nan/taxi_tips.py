import os

os.environ["TF_CPP_MIN_LOG_LEVEL"] = "2"

import keras
import numpy as np
import pandas as pd


def trips(count=600, seed=7):
    draw = np.random.default_rng(seed)
    distance = draw.gamma(2.0, 2.0, count)
    return pd.DataFrame(
        {
            "distance": distance,
            "passengers": draw.integers(1, 5, count),
            "mta_tax": 0.5,
            "fare": 3 + 2.5 * distance + draw.normal(0, 0.5, count),
            "tip": 0.15 * distance + draw.random(count),
        }
    )


def without_outliers(frame):
    spread = frame["distance"].std()
    return frame[(frame["distance"] - frame["distance"].mean()).abs() < 3 * spread]


def zscore(column):
    return (column - column.mean()) / column.std()  # <- cause


def prepare(frame):
    frame = without_outliers(frame.dropna(how="any"))
    target = frame.pop("tip")
    return frame.apply(zscore).to_numpy("float32"), target.to_numpy("float32")  # <- cause


def regression(width):
    model = keras.Sequential([keras.Input((width,)), keras.layers.Dense(16, activation="relu"), keras.layers.Dense(1)])
    model.compile("adam", "mae")
    return model


if __name__ == "__main__":
    keras.utils.set_random_seed(14)
    x, y = prepare(trips())
    model = regression(x.shape[1])
    history = model.fit(x, y, validation_split=0.2, epochs=2, verbose=2)
    print("mean error of tips", history.history["val_loss"][-1])
