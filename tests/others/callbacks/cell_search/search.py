"""Searches for sizes and rates of a network that tells benign from malign cells."""
import numpy as np
from tensorflow import keras

from scan import Scan

PARAMS = {"units": [8, 16], "rate": [0.01, 0.001]}


def cells(n=300):
    rng = np.random.default_rng(4)
    x = rng.normal(size=(n, 9)).astype("float32")
    y = (x[:, 0] + x[:, 3] * 0.5 > 0).astype("float32")
    return x, y


def build(chosen, columns):
    model = keras.Sequential([
        keras.layers.Input((columns,)),
        keras.layers.Dense(chosen["units"], activation="relu"),
        keras.layers.Dense(1, activation="sigmoid"),
    ])
    model.compile(optimizer=keras.optimizers.Adam(chosen["rate"]), loss="binary_crossentropy",
                  metrics=["accuracy"])
    return model


def main():
    x, y = cells()
    stopper = keras.callbacks.EarlyStopping(monitor="val_loss", patience=4)
    search = Scan(x, y, PARAMS, build, epochs=5, callbacks=stopper)  # <- cause
    table = search.run()
    print(table.to_string(index=False))


if __name__ == "__main__":
    main()
