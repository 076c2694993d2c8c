"""The training is fine; only the table for the validation has a gap, and `val_loss` is NaN from the first epoch on."""

import io

import keras
import numpy as np

TABLE = "\n".join(f"{row % 7 - 3},{row % 5 - 2},{'' if row == 307 else row % 3},{row % 4}" for row in range(400))


def read(text):
    table = np.genfromtxt(io.StringIO(text), delimiter=",", dtype="float32")
    return table[:, :3], table[:, 3]


keras.utils.set_random_seed(0)
features, prices = read(TABLE)
train, held_out = features[:300], features[300:]
model = keras.Sequential([keras.Input((3,)), keras.layers.Dense(8, activation="tanh"), keras.layers.Dense(1)])
model.compile("adam", "mse")
model.fit(train, prices[:300], validation_data=(held_out, prices[300:]), epochs=2, verbose=0)  # <- cause
