"""Shares of counts that are all zero: NumPy warns and goes on, and the draw three lines later refuses them."""

import numpy as np

rng = np.random.default_rng(3)


def shares(counts):
    return counts / counts.sum()  # <- cause


def drawn(rows):
    found = []
    for row in rows:
        chances = shares(row)
        found.append(int(rng.choice(len(row), p=chances)))
    return found


print(drawn(np.array([[3.0, 1.0, 2.0], [0.0, 0.0, 0.0]])))
