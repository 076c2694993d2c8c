"""The seventh batch of a PyDataset has a label of -1 for a missing value."""

import keras
import numpy as np


class Batches(keras.utils.PyDataset):
    def __init__(self):
        super().__init__()
        rng = np.random.default_rng(8)
        self.rows = rng.random([200, 5], "float32")
        self.classes = rng.integers(0, 4, 200)
        self.classes[127] = -1

    def __len__(self):
        return 10

    def __getitem__(self, index):
        part = slice(20 * index, 20 * index + 20)
        return self.rows[part], self.classes[part]


batches = Batches()
inputs = keras.Input([5])
model = keras.Model(inputs, keras.layers.Dense(4, activation="softmax")(inputs))
model.compile("sgd", keras.losses.SparseCategoricalCrossentropy())
model.fit(batches, shuffle=False, verbose=0)  # <- cause
