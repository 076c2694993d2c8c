"""The twin of branch_names_twice: the names depend on the call."""

import keras


def encoder(x, branch):
    x = keras.layers.Dense(8, name=f"{branch}_stage")(x)
    return keras.layers.Dense(4, name=f"{branch}_code")(x)


left, right = keras.Input((6,)), keras.Input((6,))
joined = keras.layers.Concatenate()([encoder(left, "left"), encoder(right, "right")])
model = keras.Model([left, right], joined)
print(model.count_params())
