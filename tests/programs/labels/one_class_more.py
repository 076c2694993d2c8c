"""The data have one class more than the last layer."""

import keras
import numpy as np

rng = np.random.default_rng(1)
petals = rng.random((150, 4)).astype("float32")
species = np.repeat([0, 1, 2], 50)
order = rng.permutation(150)
petals, species = petals[order], species[order]

model = keras.Sequential(
    [
        keras.Input((4,)),
        keras.layers.Dense(8, activation="relu"),
        keras.layers.Dense(2, activation="softmax"),  # <- cause
    ]
)
model.compile("adam", loss="sparse_categorical_crossentropy", metrics=["accuracy"])
model.fit(petals, species, epochs=2, verbose=0)
