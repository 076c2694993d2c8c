"""Two branches of different lengths are concatenated."""

import keras

words = keras.Input((20, 8))
tags = keras.Input((19, 8))
joined = keras.layers.Concatenate(axis=-1)([words, tags])  # <- cause
