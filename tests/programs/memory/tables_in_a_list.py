"""A table for each day, with a column of texts, all kept to be joined at the end."""

import numpy as np
import pandas as pd

ROWS = 10_000


def read(day):
    generator = np.random.default_rng(day)
    names = np.array([f"customer {number}" for number in generator.integers(10**5, 10**6, ROWS)], dtype=object)
    return pd.DataFrame({"name": names, "spent": generator.random(ROWS)})


def collect(days):
    parts = []
    for day in range(days):
        parts.append(read(day).astype({"name": object}))  # <- cause
        # A text of 15 letters lies in a block of 64 bytes; a pointer and a number have 8 each.
        print("held", len(parts) * ROWS * (64 + 8 + 8), flush=True)
    return pd.concat(parts)


print(collect(5000).shape)
