import os

os.environ["TF_CPP_MIN_LOG_LEVEL"] = "2"
import keras
import numpy as np

SETTINGS = {"batch_size": 32, "window": 8, "units": 12, "epochs": 1, "validation": 0.1}


def ticks(count, seed=4):
    draw = np.random.default_rng(seed)
    return np.cumsum(draw.normal(0, 0.01, count)).astype("float32")


def windows(series, length):
    starts = range(len(series) - length)
    inputs = np.stack([series[start : start + length] for start in starts])[..., None]
    return inputs, series[length:, None]


def split(inputs, targets, part):
    kept = int(len(inputs) * (1 - part))  # <- cause
    return (inputs[:kept], targets[:kept]), (inputs[kept:], targets[kept:])


def network(settings):
    model = keras.Sequential(
        [
            keras.Input(batch_shape=(settings["batch_size"], settings["window"], 1)),
            keras.layers.LSTM(settings["units"], stateful=True),
            keras.layers.Dense(1),
        ]
    )
    model.compile("adam", "mse")
    return model


def train(settings):
    inputs, targets = windows(ticks(720), settings["window"])
    training, validation = split(inputs, targets, settings["validation"])
    model = network(settings)
    for epoch in range(settings["epochs"]):
        model.fit(
            *training,
            batch_size=settings["batch_size"],
            epochs=1,
            shuffle=False,
            validation_data=validation,
            verbose=2,
        )
        for layer in model.layers:
            if hasattr(layer, "reset_states"):
                layer.reset_states()


train(SETTINGS)
