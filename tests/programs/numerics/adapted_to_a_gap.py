"""A layer that was adapted to data with a gap has NaN for its mean, and every batch is NaN behind it."""

import keras
import numpy as np

keras.utils.set_random_seed(0)
speed = np.random.RandomState(0).normal(60, 10, size=(320, 3)).astype("float32")
speed[300, 1] = np.nan
scaling = keras.layers.Normalization()  # <- cause
scaling.adapt(speed)
model = keras.Sequential([scaling, keras.layers.Dense(8, activation="elu"), keras.layers.Dense(1)])
model.compile("adam", "mae")
model.fit(speed[:256], speed[:256, 0], shuffle=False, verbose=0)
