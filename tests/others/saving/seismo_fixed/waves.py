import numpy as np
from settings import KINDS, WINDOW


def windows(n, seed):
    rng = np.random.default_rng(seed)
    kind = rng.integers(0, KINDS, n)
    t = np.arange(WINDOW) / WINDOW
    freq = np.array([3.0, 7.0, 13.0])[kind]
    phase = rng.uniform(0, 6.28, n)
    wave = np.sin(6.28 * freq[:, None] * t + phase[:, None]) + rng.normal(0, 0.3, (n, WINDOW))
    return wave[..., None].astype("float32"), kind.astype("int32")
