import numpy as np
from config import CHANNELS, SIDE


def composites(count, seed):
    rng = np.random.default_rng(seed)
    pictures = rng.random((count, SIDE, SIDE, CHANNELS), dtype="float32")
    alphas = (pictures[..., 3:] > 0.5).astype("float32")
    return pictures, alphas
