"""The weights fit; with gradients and the two slots of Adam they do not."""

import os

os.environ["TF_CPP_MIN_LOG_LEVEL"] = "2"

import keras
import numpy as np

inputs = keras.Input([64, 64, 3])
x = keras.layers.Flatten()(inputs)
x = keras.layers.Dense(6000, activation="relu", name="wide")(x)  # <- cause
outputs = keras.layers.Dense(2)(x)
model = keras.Model(inputs, outputs)
model.compile("adam", "mse")
model.fit(np.zeros((64, 64, 64, 3), "float32"), np.zeros((64, 2)), batch_size=8, verbose=0)
