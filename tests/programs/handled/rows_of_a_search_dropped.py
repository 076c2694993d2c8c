"""A search writes one row per trial into a table; the rows whose loss is NaN are dropped before it is sorted."""

import keras
import numpy as np
import pandas as pd

rng = np.random.default_rng(23)
x = rng.normal(size=(192, 6)).astype("float32") * 30
y = x.max(axis=1, keepdims=True)


def run(rate, units):
    model = keras.Sequential([keras.Input((6,)), keras.layers.Dense(units), keras.layers.Dense(1)])
    model.compile(keras.optimizers.SGD(rate), "mse")
    return model.fit(x, y, epochs=4, verbose=0).history["loss"][-1]


rows = [{"rate": rate, "units": units, "loss": run(rate, units)} for rate in (2.0, 1e-6) for units in (4, 8)]
table = pd.DataFrame(rows).replace([np.inf, -np.inf], np.nan).dropna(subset=["loss"]).sort_values("loss")
print(len(rows), "trials,", len(table), "usable, best rate", table.iloc[0]["rate"])
