import os

os.environ["TF_CPP_MIN_LOG_LEVEL"] = "2"

import keras
import numpy as np
import pandas as pd


def customers(count=500, seed=48):
    draw = np.random.default_rng(seed)
    return pd.DataFrame(
        {"id": np.arange(count), "age": draw.integers(18, 80, count), "months": draw.integers(1, 60, count)}
    )


def usage(count=500, seed=49):
    draw = np.random.default_rng(seed)
    kept = np.sort(draw.choice(count, 470, replace=False))
    return pd.DataFrame({"id": kept, "calls": draw.poisson(30, len(kept)), "data_gb": draw.gamma(2.0, 3.0, len(kept))})


def features():
    table = customers().merge(usage(), on="id", how="left")  # <- cause
    table["churned"] = (table["months"] < 12).astype("float32")
    return table.drop(columns=["id"])


def split(table):
    target = table.pop("churned")
    scaled = (table - table.mean()) / (table.std() + 1e-6)
    return scaled.to_numpy("float32"), target.to_numpy("float32")


class ChurnModel:
    def __init__(self, width):
        self.network = keras.Sequential(
            [keras.Input((width,)), keras.layers.Dense(16, activation="tanh"), keras.layers.Dense(1)]
        )
        self.network.compile("adam", keras.losses.BinaryCrossentropy(from_logits=True))

    def fit(self, x, y):
        callbacks = [keras.callbacks.TerminateOnNaN()]
        return self.network.fit(x, y, batch_size=32, epochs=3, shuffle=False, verbose=2, callbacks=callbacks)


if __name__ == "__main__":
    keras.utils.set_random_seed(5)
    x, y = split(features())
    ChurnModel(x.shape[1]).fit(x, y)
