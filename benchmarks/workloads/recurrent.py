"""`model.fit` of an LSTM over 170 steps of time: what its loop keeps for the backward pass is the memory."""

import keras
import numpy as np
from keras import layers
from step_peak import StepPeak

STEPS, BATCH, LENGTH, UNITS = 3, 1024, 170, 64

rows = np.random.default_rng(0).random([BATCH, LENGTH, UNITS], "float32")
model = keras.Sequential([layers.Input([LENGTH, UNITS]), layers.LSTM(UNITS), layers.Dense(4000), layers.Dense(1)])
model.compile("adam", "mse")
peak = StepPeak()
model.fit(rows, rows[:, 0, :1], batch_size=BATCH, epochs=STEPS, verbose=0, callbacks=[peak])
peak.tell()
