"""A class number for each step, and the loss for one-hot rows."""

import keras
import numpy as np

STEPS, WORDS = 6, 12
draw = np.random.default_rng(0)
sentences = draw.integers(0, WORDS, (32, STEPS))
following = draw.integers(0, WORDS, (32, STEPS))
model = keras.Sequential(
    [keras.layers.Embedding(WORDS, 8), keras.layers.GRU(8, return_sequences=True), keras.layers.Dense(WORDS, "softmax")]
)
model.compile("adam", "categorical_crossentropy")  # <- cause
model.fit(sentences, following, verbose=0)
