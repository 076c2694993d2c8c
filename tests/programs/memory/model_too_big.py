"""One dense layer whose kernel alone is larger than the memory there is."""

import keras

model = keras.Sequential(
    [
        keras.layers.Input([20_000]),
        keras.layers.Dense(30_000),
        keras.layers.Dense(10),
    ]
)
model.compile("adam", "mse")
model.summary()
