"""Works with one set of labels and fails with another. Compare the two runs:

whydied run --name monday examples/changed.py
whydied run --name tuesday examples/changed.py --kinds 5
whydied diff monday tuesday
"""

import argparse

import keras
import numpy as np

parser = argparse.ArgumentParser()
parser.add_argument("--kinds", type=int, default=3, help="kinds of flowers in the data")
options = parser.parse_args()

rng = np.random.default_rng(7)
petals = rng.normal(size=(300, 4)).astype("float32")
kinds = rng.integers(0, options.kinds, len(petals))

model = keras.Sequential([keras.Input((4,)), keras.layers.Dense(16, activation="relu"), keras.layers.Dense(3)])
model.compile("adam", keras.losses.SparseCategoricalCrossentropy(from_logits=True))
model.fit(petals, kinds, epochs=3, verbose=2)
