"""`model.fit` of three dense layers of 6,000 units: the gradients and Adam's slots are the memory."""

import keras
import numpy as np
from step_peak import StepPeak

UNITS, STEPS, BATCH = 6000, 3, 16

rng = np.random.default_rng(0)
rows = rng.random([STEPS * BATCH, UNITS], "float32")
labels = rng.integers(0, 10, len(rows))
dense = [keras.layers.Dense(UNITS, "relu") for _ in range(3)]
model = keras.Sequential([keras.layers.Input([UNITS]), *dense, keras.layers.Dense(10)])
model.compile("adam", keras.losses.SparseCategoricalCrossentropy(from_logits=True))
peak = StepPeak()
model.fit(rows, labels, batch_size=BATCH, verbose=0, callbacks=[peak])
peak.tell()
