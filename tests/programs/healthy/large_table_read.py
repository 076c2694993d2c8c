"""Reads a large table in one statement, sums it up and finishes."""

import io

import numpy as np
import pandas as pd

rows = 300_000
text = io.StringIO()
pd.DataFrame(np.random.default_rng(1).integers(0, 9, size=(rows, 8))).to_csv(text, index=False)
text.seek(0)
table = pd.read_csv(text)
copies = [table.astype("float64") for _ in range(6)]
print(int(sum(copy.to_numpy().sum() for copy in copies)) > 0)
