"""Reads a table as float64, casts it, scales it into a third array, and keeps all of them."""

import numpy as np

raw = np.random.default_rng(0).random((400_000, 64))
features = raw.astype("float32")  # <- cause
ordered = np.array(raw)  # <- cause
normal = (features - features.mean(0)) / features.std(0)  # <- cause
squares = np.array(normal, dtype="float64")  # <- cause
print(raw.shape, features.shape, ordered.shape, squares.mean())
rest = [np.ones(1_000_000) for _ in range(40)]
