import io
import os

os.environ["TF_CPP_MIN_LOG_LEVEL"] = "2"
import keras
import numpy as np
import pandas as pd

COLUMNS = ["steering", "throttle", "brake", "speed"]


def exported_log(rows=160, seed=12):
    """What the spreadsheet saved."""
    draw = np.random.default_rng(seed)
    lines = ["center;" + ";".join(COLUMNS)]
    for row in range(rows):
        values = [draw.normal(0, 0.2), draw.uniform(0, 1), 0.0, draw.uniform(5, 30)]
        lines.append(f"center_{row}.jpg;" + ";".join(f"{value:.4f}".replace(".", ",") for value in values))
    return "\n".join(lines)


def load_data(text, test_part=0.25):
    log = pd.read_csv(io.StringIO(text), sep=";")  # <- cause
    x = log[["throttle", "brake", "speed"]].values
    y = log["steering"].values
    cut = int(len(x) * (1 - test_part))
    return x[:cut], x[cut:], y[:cut], y[cut:]


def build_model(rate):
    model = keras.Sequential([keras.Input((3,)), keras.layers.Dense(12, activation="elu"), keras.layers.Dense(1)])
    model.compile(loss="mean_squared_error", optimizer=keras.optimizers.Adam(rate))
    return model


def train_model(model, x_train, x_valid, y_train, y_valid):
    model.fit(x_train, y_train, validation_data=(x_valid, y_valid), batch_size=40, epochs=1, verbose=2)


def main():
    data = load_data(exported_log())
    model = build_model(1e-3)
    train_model(model, *data)


main()
