import numpy as np

SOURCE, TARGET = 14, 16
START, STOP = 14, 15


def make(n, seed=1, length=6):
    rng = np.random.default_rng(seed)
    src = rng.integers(0, SOURCE, (n, length))
    out = src[:, ::-1]
    dec_in = np.concatenate([np.full((n, 1), START), out], axis=1)
    dec_out = np.concatenate([out, np.full((n, 1), STOP)], axis=1)
    return src, dec_in, dec_out
