"""Labels are texts of numbers."""

import keras
import numpy as np

rows = [("0.1,0.2", "3"), ("0.4,0.1", "1"), ("0.9,0.3", "0"), ("0.2,0.2", "2")]
x = np.array([[float(part) for part in row.split(",")] for row, _ in rows], dtype="float32")
y = np.array([label for _, label in rows], dtype=object)
model = keras.Sequential([keras.Input((2,)), keras.layers.Dense(4, "softmax")])
model.compile("adam", "sparse_categorical_crossentropy")
model.fit(x, y, verbose=0)  # <- cause
