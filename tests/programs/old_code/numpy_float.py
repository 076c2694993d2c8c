"""Uses an alias that NumPy dropped in 1.24."""

import numpy as np


def load(rows):
    return np.zeros((rows, 3), dtype=np.float)  # <- cause


print(load(4).mean())
