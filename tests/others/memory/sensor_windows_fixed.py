import os

os.environ["TF_CPP_MIN_LOG_LEVEL"] = "2"
import keras
import numpy as np

LOOKBACK = 400
readings = np.random.default_rng(0).normal(size=(60_000, 8)).astype("float32")
power = readings[:, 0]


def windows(series, target, lookback):
    return keras.utils.timeseries_dataset_from_array(
        series[:-1], target[lookback:], sequence_length=lookback, batch_size=64
    )


model = keras.Sequential([keras.Input((LOOKBACK, 8)), keras.layers.GlobalAveragePooling1D(), keras.layers.Dense(1)])
model.compile("adam", "mse")
model.fit(windows(readings, power, LOOKBACK), epochs=1, steps_per_epoch=20, verbose=2)
