"""Shares of counts of which two are zero: they can be drawn from."""

import numpy as np

rng = np.random.default_rng(3)


def shares(counts):
    return counts / counts.sum()


def drawn(rows):
    found = []
    for row in rows:
        chances = shares(row)
        found.append(int(rng.choice(len(row), p=chances)))
    return found


print(drawn(np.array([[3.0, 1.0, 2.0], [0.0, 0.5, 0.0]])))
