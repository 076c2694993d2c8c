import numpy as np


def clips(cfg, n, seed):
    """Spectra of bird calls; class 0 is a clip without any bird."""
    rng = np.random.default_rng(seed)
    label = rng.integers(0, len(cfg.SPECIES) + 1, n)
    x = np.abs(rng.normal(0, 0.2, (n, cfg.BINS))).astype("float32")
    for i, k in enumerate(label):
        if k:
            x[i, 6 * k : 6 * k + 5] += 1.0
    return x, label.astype("int32")
