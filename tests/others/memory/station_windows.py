"""One file per weather station, windows of rows from each, read through an interleaved pipeline; the memory
climbs."""

import numpy as np
import tensorflow as tf

STATIONS = 120
ROWS = 90_000
FEATURES = 24
WINDOW = 96
CYCLE = 100  # <- cause


def read_station(number):
    rng = np.random.default_rng(int(number))
    table = rng.normal(size=(ROWS, FEATURES)).astype(np.float32)
    return table, (table[:, 0] > 0).astype(np.float32)


def station_rows(number):
    table, target = tf.numpy_function(read_station, [number], (tf.float32, tf.float32))
    table.set_shape((ROWS, FEATURES))
    target.set_shape((ROWS,))
    rows = tf.data.Dataset.from_tensor_slices((table, target))
    windows = rows.batch(WINDOW, drop_remainder=True)
    return windows.map(lambda x, y: (x - tf.reduce_mean(x, 0), y[-1]), num_parallel_calls=4)


def make_dataset():
    numbers = tf.data.Dataset.range(STATIONS).shuffle(STATIONS, seed=3)
    data = numbers.interleave(station_rows, cycle_length=CYCLE, block_length=1, num_parallel_calls=2)  # <- cause
    return data.batch(64).prefetch(2)


def build():
    model = tf.keras.Sequential(
        [
            tf.keras.Input((WINDOW, FEATURES)),
            tf.keras.layers.Conv1D(16, 5, activation="relu"),
            tf.keras.layers.GlobalAveragePooling1D(),
            tf.keras.layers.Dense(1, activation="sigmoid"),
        ]
    )
    model.compile("adam", "binary_crossentropy")
    return model


if __name__ == "__main__":
    build().fit(make_dataset(), epochs=1, steps_per_epoch=150, verbose=2)
