import numpy as np


def walls(n, s, seed=0):
    rng = np.random.default_rng(seed)
    x = rng.normal(0.6, 0.05, (n, s.height, s.width, 1)).astype("float32")
    y = np.zeros_like(x)
    for i in range(n):
        row = rng.integers(5, s.height - 5)
        slope = rng.uniform(-0.05, 0.05)
        for col in range(s.width):
            r = int(np.clip(row + slope * col, 1, s.height - 2))
            y[i, r - 1 : r + 1, col] = 1
    x = x - 0.4 * y
    return x, y
