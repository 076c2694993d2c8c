"""Makes an empty table for all pairs and fills it row by row: its memory is taken only then."""

import numpy as np


def similarities(items):
    table = np.zeros((len(items), len(items)))  # <- cause
    for number, item in enumerate(items):
        table[number] = np.abs(items - item).sum(1)
    return table


print(similarities(np.random.default_rng(0).random((15_000, 4))).shape)
