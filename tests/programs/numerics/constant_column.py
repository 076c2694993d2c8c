"""Each column is divided by its own deviation, and one of them is constant."""

import keras
import numpy as np

keras.utils.set_random_seed(2)
rng = np.random.default_rng(2)
table = rng.normal(size=[200, 5]).astype("float32")
table[:, 3] = 7.0
scaled = (table - table.mean(axis=0)) / table.std(axis=0)  # <- cause
labels = (table[:, 0] > 0).astype("int32")

model = keras.Sequential([keras.layers.Input([5]), keras.layers.Dense(4, "tanh"), keras.layers.Dense(2)])
model.compile("sgd", keras.losses.SparseCategoricalCrossentropy(from_logits=True))
model.fit(scaled, labels, batch_size=50, epochs=1, verbose=0)
