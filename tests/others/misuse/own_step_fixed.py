"""Scales features inside of the model and trains it."""

import keras
import numpy as np


class ScaledModel(keras.Model):
    def __init__(self, units, outputs):
        super().__init__()
        self.scale = keras.layers.Normalization()
        self.hidden = keras.layers.Dense(units, activation="relu")
        self.out = keras.layers.Dense(outputs)

    def call(self, x):
        return self.out(self.hidden(self.scale(x)))


def load(count):
    rng = np.random.default_rng(77)
    x = rng.normal(3.0, 2.0, size=(count, 4)).astype("float32")
    return x, x @ np.array([[1.0], [-1.0], [0.5], [0.0]], "float32")


def prepare(x, rate=0.01):
    model = ScaledModel(8, 1)
    model.scale.adapt(x)
    model.compile(optimizer=keras.optimizers.Adam(rate), loss="mse")
    return model


def main():
    x, y = load(80)
    model = prepare(x)
    history = model.fit(x, y, epochs=2, batch_size=16, verbose=0)
    print(sorted(history.history))


if __name__ == "__main__":
    main()
