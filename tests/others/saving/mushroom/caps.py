import numpy as np

SPECIES = ["boletus", "amanita", "russula", "morel"]


def caps(n, seed):
    rng = np.random.default_rng(seed)
    which = rng.integers(0, len(SPECIES), n)
    centers = np.random.default_rng(50).normal(0, 2, (len(SPECIES), 6))
    x = centers[which] + rng.normal(0, 0.5, (n, 6))
    return x.astype("float32"), [SPECIES[k] for k in which]
