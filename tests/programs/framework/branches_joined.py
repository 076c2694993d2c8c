"""The same branches, joined by calling the layer on what they give."""

import numpy as np
from keras import Model, Sequential, layers

rng = np.random.default_rng(3)
width = rng.random((64, 2)).astype("float32")
height = rng.random((64, 1)).astype("float32")
sold = rng.integers(0, 2, 64).astype("float32")

flat = Sequential([layers.Input((2,)), layers.Dense(3)])
tall = Sequential([layers.Input((1,)), layers.Dense(3)])

both = layers.Concatenate()([flat.outputs[0], tall.outputs[0]])
shelf = Model([flat.inputs[0], tall.inputs[0]], layers.Dense(1, activation="sigmoid")(both))
shelf.compile("adam", "binary_crossentropy")
shelf.fit([width, height], sold, epochs=1, verbose=0)
