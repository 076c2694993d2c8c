"""Two rows have word ids that the embedding has no row for; the model takes a dict."""

import keras
import numpy as np

WORDS = 50
words = keras.layers.Input([12], name="words", dtype="int32")
lengths = keras.layers.Input([1], name="lengths")
means = keras.layers.GlobalAveragePooling1D()(keras.layers.Embedding(WORDS, 4)(words))
score = keras.layers.Dense(1, activation="sigmoid")(keras.layers.Concatenate()([means, lengths]))
model = keras.Model({"words": words, "lengths": lengths}, score)
model.compile("adam", "binary_crossentropy")

rng = np.random.default_rng(0)
ids = rng.integers(0, WORDS, [300, 12])
ids[33, 5], ids[250, 0] = WORDS, 61
target = rng.integers(0, 2, [300, 1])
data = {"words": ids, "lengths": np.full([300, 1], 12.0, "float32")}
model.fit(data, target, epochs=1, batch_size=50, verbose=0)  # <- cause
