"""Two outputs whose losses are keyed by the variables that hold them."""

import numpy as np
from tensorflow import keras


def two_headed(width):
    entrance = keras.Input((width,))
    trunk = keras.layers.Dense(8, activation="relu")(entrance)
    weight = keras.layers.Dense(1)(trunk)  # <- cause
    ripe = keras.layers.Dense(1, activation="sigmoid")(trunk)
    return keras.Model(entrance, [weight, ripe])


rng = np.random.default_rng(6)
x = rng.normal(size=(40, 3))
model = two_headed(3)
model.compile("adam", loss={"weight": "mse", "ripe": "binary_crossentropy"})
model.fit(x, {"weight": x[:, :1], "ripe": (x[:, 1:2] > 0).astype("float32")}, epochs=1, verbose=0)
