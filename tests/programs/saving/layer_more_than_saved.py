"""Loads an old HDF5 file into a model that has one layer more."""

import atexit
import os
import shutil
import tempfile

import keras
from keras import layers

small = keras.Sequential([layers.Input((4,)), layers.Dense(8, name="first"), layers.Dense(2, name="last")])
inputs = layers.Input((4,))
x = layers.Dense(8, name="first")(inputs)
x = layers.Dense(6, name="extra")(x)  # <- cause
larger = keras.Model(inputs, layers.Dense(2, name="last")(x))

directory = tempfile.mkdtemp()
atexit.register(shutil.rmtree, directory)
path = os.path.join(directory, "net.h5")
small.save(path)
larger.load_weights(path)
