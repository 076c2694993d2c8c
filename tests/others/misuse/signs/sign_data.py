import numpy as np


def shapes(n, size=16):
    rng = np.random.default_rng(8)
    y = rng.integers(0, 4, n)
    x = rng.normal(0, 0.1, (n, size, size, 1)).astype("float32")
    for i, k in enumerate(y):
        if k == 0:
            x[i, 4:12, 4:12] += 1
        elif k == 1:
            x[i, 7:9, :] += 1
        elif k == 2:
            x[i, :, 7:9] += 1
        else:
            x[i, range(size), range(size)] += 1
    return x, y
