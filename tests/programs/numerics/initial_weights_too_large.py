"""The hidden layers begin with weights of about 20, so each multiplies what it is given by a hundred and more."""

import keras
import numpy as np

keras.utils.set_random_seed(11)
draw = np.random.default_rng(11)
x = draw.normal(size=(64, 16)).astype("float32")
y = draw.normal(size=(64, 1)).astype("float32")


def build(depth):
    given = inner = keras.Input((16,))
    for _ in range(depth):
        inner = keras.layers.Dense(64, "relu", kernel_initializer=keras.initializers.RandomNormal(stddev=20.0))(inner)  # <- cause
    return keras.Model(given, keras.layers.Dense(1)(inner))


model = build(12)
model.compile("sgd", "mse")
model.fit(x, y, epochs=1, verbose=2)
