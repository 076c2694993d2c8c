"""A file of many rows is read in chunks, each made smaller before it is kept."""

import io

import numpy as np
import pandas as pd

rng = np.random.default_rng(19)
text = pd.DataFrame(rng.integers(0, 1000, (150_000, 6)), columns=list("abcdef")).to_csv(index=False)
small = []
for chunk in pd.read_csv(io.StringIO(text), chunksize=20_000):
    for column in chunk.columns:
        chunk[column] = pd.to_numeric(chunk[column], downcast="integer")
    small.append(chunk[chunk["a"] > 500])
table = pd.concat(small, ignore_index=True)
print(len(table) > 0, table.dtypes.nunique(), round(table.memory_usage(deep=True).sum() / 1e6) < 5)
