"""Trains a model that was never compiled."""

import keras
import numpy as np

model = keras.Sequential([keras.layers.Input((3,)), keras.layers.Dense(1)])
model.fit(np.ones((8, 3)), np.ones((8, 1)))  # <- cause
