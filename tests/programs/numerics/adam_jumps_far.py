"""Adam moves each weight by its rate in every step, whatever the gradient: at 30 a deep net of cubes overflows."""

import numpy as np
import tensorflow as tf
from tensorflow import keras


class Cubes(keras.Model):
    def __init__(self, width, depth):
        super().__init__()
        self.hidden = [keras.layers.Dense(width) for _ in range(depth)]
        self.out = keras.layers.Dense(1)

    def call(self, rows):
        for layer in self.hidden:
            rows = rows + layer(rows) ** 3
        return self.out(rows)


def build(rate):
    model = Cubes(8, 2)
    model.compile(optimizer=keras.optimizers.Adam(learning_rate=rate), loss="mse")  # <- cause
    return model


def main():
    keras.utils.set_random_seed(3)
    rows = np.random.default_rng(3).uniform(-1, 1, size=(512, 8)).astype("float32")
    wanted = (rows**3).sum(axis=1, keepdims=True)
    model = build(rate=30.0)  # <- cause
    model.fit(rows, wanted, epochs=3, batch_size=32, verbose=2)


main()
