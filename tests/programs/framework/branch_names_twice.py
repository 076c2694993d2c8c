"""A function that gives its layers fixed names is called for both branches of one model."""

import keras


def encoder(x):
    x = keras.layers.Dense(8, name="stage")(x)  # <- cause
    return keras.layers.Dense(4, name="code")(x)


left, right = keras.Input((6,)), keras.Input((6,))
joined = keras.layers.Concatenate()([encoder(left), encoder(right)])
model = keras.Model([left, right], joined)
