"""Word ids count from 1 to the size of the vocabulary; the table has a row too few."""

import keras
import numpy as np

VOCABULARY = 100
rng = np.random.default_rng(4)
reviews = rng.integers(1, VOCABULARY + 1, (256, 20))
liked = rng.integers(0, 2, 256).astype("float32")

model = keras.Sequential(
    [
        keras.layers.Embedding(input_dim=VOCABULARY, output_dim=8),  # <- cause
        keras.layers.GlobalAveragePooling1D(),
        keras.layers.Dense(1, activation="sigmoid"),
    ]
)
model.compile("adam", "binary_crossentropy")
model.fit(reviews, liked, batch_size=64, verbose=0)
