import os

os.environ["TF_CPP_MIN_LOG_LEVEL"] = "2"
import keras
import numpy as np

LOOKBACK = 400
readings = np.random.default_rng(0).normal(size=(60_000, 8)).astype("float32")
power = readings[:, 0]


def windows(series, target, lookback):
    x, y = [], []
    for end in range(lookback, len(series)):
        x.append(np.array(series[end - lookback : end]))  # <- cause
        y.append(target[end])
    return np.array(x), np.array(y)


model = keras.Sequential([keras.Input((LOOKBACK, 8)), keras.layers.GlobalAveragePooling1D(), keras.layers.Dense(1)])
model.compile("adam", "mse")
x, y = windows(readings, power, LOOKBACK)
model.fit(x, y, batch_size=64, epochs=1, steps_per_epoch=20, verbose=2)
