"""Traffic flow estimation from the last 30 counts plus calendar features."""
import os

os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "2")

import numpy as np
import tensorflow as tf
from tensorflow.keras.layers import Concatenate, Conv1D, Dense, Flatten, Input
from tensorflow.keras.models import Model

WINDOW = 30
RNG = np.random.default_rng(17)


def load_counts(n=400):
    t = np.arange(n)
    daily = 40 * np.sin(2 * np.pi * t / 96.0)
    return (120 + daily + RNG.normal(0, 5, n)).astype("float32")


def calendar_features(n):
    t = np.arange(n)
    hour = (t // 4) % 24
    weekday = (t // 96) % 7
    return np.stack([hour / 23.0, weekday / 6.0, (weekday > 4)], axis=1).astype("float32")


def make_windows(counts, calendar, window=WINDOW):
    series, extra, target = [], [], []
    for start in range(len(counts) - window):
        series.append(counts[start:start + window])  # <- cause
        extra.append(calendar[start + window])
        target.append(counts[start + window])
    return np.array(series), np.array(extra), np.array(target)


def scale(train, test):
    mean, std = train.mean(), train.std()
    return (train - mean) / std, (test - mean) / std


def build_model(series_input_train, calendar_train):
    series_input = Input(shape=(series_input_train.shape[1],), name="series_input")  # <- cause
    calendar_input = Input(shape=(calendar_train.shape[1],), name="calendar_input")

    x = Conv1D(filters=32, kernel_size=5, strides=1, padding="causal",  # <- cause
               activation="relu")(series_input)
    x = Conv1D(filters=16, kernel_size=3, padding="causal", activation="relu")(x)
    x = Flatten()(x)
    merged = Concatenate()([x, calendar_input])
    merged = Dense(32, activation="relu")(merged)
    flow = Dense(1, name="flow")(merged)
    model = Model(inputs=[series_input, calendar_input], outputs=flow)
    model.compile(optimizer="adam", loss="mse", metrics=["mae"])
    return model


def main():
    tf.keras.utils.set_random_seed(17)
    counts = load_counts()
    calendar = calendar_features(len(counts))
    series, extra, target = make_windows(counts, calendar)
    split = int(0.8 * len(series))
    series_train, series_test = scale(series[:split], series[split:])
    y_train, y_test = scale(target[:split], target[split:])

    model = build_model(series_train, extra[:split])
    model.fit([series_train, extra[:split]], y_train, epochs=2, batch_size=32, verbose=2)
    loss, mae = model.evaluate([series_test, extra[split:]], y_test, verbose=0)
    print("test mse %.3f mae %.3f" % (loss, mae))


if __name__ == "__main__":
    main()
