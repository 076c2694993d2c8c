"""The branches are given to the constructor of Concatenate, where they become its axis; `fit` fails in the library."""

import numpy as np
from keras import Sequential, layers

rng = np.random.default_rng(3)
width = rng.random((64, 2)).astype("float32")
height = rng.random((64, 1)).astype("float32")
sold = rng.integers(0, 2, 64).astype("float32")

flat = Sequential([layers.Input((2,)), layers.Dense(3)])
tall = Sequential([layers.Input((1,)), layers.Dense(3)])

shelf = Sequential()
shelf.add(layers.Concatenate([flat, tall]))  # <- cause
shelf.add(layers.Dense(1, activation="sigmoid"))
shelf.compile("adam", "binary_crossentropy")
shelf.fit([width, height], sold, epochs=1, verbose=0)
