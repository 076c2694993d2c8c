"""Does one series help to foretell another? Fits a model with and without it, for several lags."""

import numpy as np
from keras.layers import Dense, Dropout, Input
from keras.models import Sequential
from keras.optimizers import Adam


def lagged(series, lag):
    rows = len(series) - lag
    return np.stack([series[i : i + lag].ravel() for i in range(rows)]), series[lag:, :1]


def build(inputs, optimizer, layers=(20, 10), dropout=0.05):
    model = Sequential([Input((inputs,))])
    for units in layers:
        model.add(Dense(units, activation="relu"))
        model.add(Dropout(dropout))
    model.add(Dense(1))
    model.compile(optimizer=optimizer, loss="mse")
    return model


def residuals(x, y, optimizer, epochs):
    model = build(x.shape[1], optimizer)
    model.fit(x, y, batch_size=50, epochs=epochs, verbose=0)
    return (y - model.predict(x, verbose=0)).ravel()


def causality(series, lags, epochs, rate=1e-2):
    optimizer = Adam(rate)  # <- cause
    results = {}
    for lag in lags:
        both, y = lagged(series, lag)
        alone, _ = lagged(series[:, :1], lag)
        without = residuals(alone, y, optimizer, epochs)  # <- cause
        with_other = residuals(both, y, optimizer, epochs)  # <- cause
        results[lag] = float(np.var(without) / np.var(with_other))
    return results


def coupled(count):
    rng = np.random.default_rng(71)
    driver = rng.normal(size=count)
    driven = 0.8 * np.roll(driver, 2) + 0.2 * rng.normal(size=count)
    return np.column_stack([driven, driver]).astype("float32")


if __name__ == "__main__":
    print(causality(coupled(300), lags=(2, 3), epochs=1))
