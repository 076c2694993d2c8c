"""A large table was read and is being grouped again and again when somebody presses Ctrl-C."""

import os

import numpy as np
import pandas as pd

rng = np.random.default_rng(2)
table = pd.DataFrame(rng.random((1_000_000, 12)), columns=[f"c{number}" for number in range(12)])
table["group"] = rng.integers(0, 40, len(table))
table.loc[::7, "c3"] = np.nan
for step in range(100_000):
    means = table.groupby("group").mean()
    if step == 5:
        print("ready", os.getpid(), flush=True)
