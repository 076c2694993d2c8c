import io
import os

os.environ["TF_CPP_MIN_LOG_LEVEL"] = "2"
import keras
import numpy as np
import pandas as pd

WINDOW = 12


def meter_file(minutes, seed=15):
    """What the meter of a household wrote; a minute without a reading has a question mark."""
    draw = np.random.default_rng(seed)
    power = 1.2 + np.sin(np.arange(minutes) / 60) + draw.normal(0, 0.1, minutes)
    lines = ["minute;power;voltage"]
    for minute in range(minutes):
        if minute in (611, 612, 613):
            lines.append(f"{minute};?;?")
        else:
            lines.append(f"{minute};{power[minute]:.3f};{240 + draw.normal():.2f}")
    return io.StringIO("\n".join(lines))


def load(handle):
    table = pd.read_csv(handle, sep=";", index_col="minute", low_memory=False)
    table = table.apply(pd.to_numeric, errors="coerce")  # <- cause
    return table.astype("float32")


def scaled(table):
    return (table - table.min()) / (table.max() - table.min())


def windows(values, length):
    inputs = np.stack([values[start : start + length] for start in range(len(values) - length)])
    return inputs, values[length:, :1]


def build(features):
    return keras.Sequential(
        [keras.Input((WINDOW, features)), keras.layers.LSTM(16), keras.layers.Dropout(0.1), keras.layers.Dense(1)]
    )


def main():
    keras.utils.set_random_seed(1)
    table = scaled(load(meter_file(1000)))
    inputs, targets = windows(table.to_numpy(), WINDOW)
    split = int(len(inputs) * 0.8)
    model = build(inputs.shape[-1])
    model.compile("adam", "mse")
    model.fit(
        inputs[:split],
        targets[:split],
        validation_data=(inputs[split:], targets[split:]),
        epochs=2,
        batch_size=64,
        verbose=2,
    )


main()
