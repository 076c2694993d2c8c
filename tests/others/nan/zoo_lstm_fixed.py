import os

os.environ["TF_CPP_MIN_LOG_LEVEL"] = "2"

import keras
import numpy as np
from keras import layers


class ConvLSTM:
    """A classifier of time series: convolutions, then one recurrent layer."""

    def __init__(self, length, channels, classes):
        self.length, self.channels, self.classes = length, channels, classes

    def build(self):
        series = keras.Input((self.length, self.channels))
        inner = layers.Conv1D(16, 5, padding="same", activation="relu")(series)
        inner = layers.Conv1D(16, 5, padding="same", activation="relu")(inner)
        inner = layers.LSTM(32)(inner)
        inner = layers.Dense(16, activation="relu")(inner)
        return keras.Model(series, layers.Dense(self.classes, activation="softmax")(inner))


def heart_beats(count, length=400, seed=59):
    draw = np.random.default_rng(seed)
    kind = draw.integers(0, 3, count)
    moment = np.arange(length)[None, :, None]
    pulse = np.sin(moment * (0.1 + 0.1 * kind[:, None, None]) + draw.uniform(0, 6, (count, 1, 1)))
    return (900 + 300 * pulse + 40 * draw.normal(size=(count, length, 2))).astype("float32"), kind


def main():
    keras.utils.set_random_seed(59)
    x, y = heart_beats(96)
    model = ConvLSTM(x.shape[1], x.shape[2], 3).build()
    model.compile(keras.optimizers.Adam(1e-2), "sparse_categorical_crossentropy", metrics=["accuracy"])
    model.fit(x, y, batch_size=16, epochs=3, verbose=2)


main()
