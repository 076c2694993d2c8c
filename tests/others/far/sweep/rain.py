import numpy as np


def hourly(n=900, seed=5):
    rng = np.random.default_rng(seed)
    t = np.arange(n)
    humid = 0.6 + 0.2 * np.sin(t / 12.0) + rng.normal(0, 0.05, n)
    press = 1.0 + 0.05 * np.cos(t / 30.0) + rng.normal(0, 0.01, n)
    rain = (humid - 0.3 * press > 0.4).astype("float32")
    return np.stack([humid, press, rain], 1).astype("float32")


def windows(table, length):
    xs, ys = [], []
    for end in range(length, len(table)):
        xs.append(table[end - length : end, :2])
        ys.append(table[end, 2])
    return np.array(xs, "float32"), np.array(ys, "float32")[:, None]
