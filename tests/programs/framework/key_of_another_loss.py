"""One key of the losses is not the name of an output."""

import keras
import numpy as np

entrance = keras.Input((8,))
price = keras.layers.Dense(1, name="price")(entrance)
kind = keras.layers.Dense(3, activation="softmax", name="kind")(entrance)
model = keras.Model(entrance, [price, kind])
model.compile("adam", {"price": "mse", "type": "sparse_categorical_crossentropy"})  # <- cause
given = {"price": np.random.rand(16), "kind": np.random.randint(0, 3, 16)}
model.fit(np.random.rand(16, 8), given, verbose=0)
