import numpy as np
from keras.utils import to_categorical

SIDE = 24
HEADS = ["slot", "cross", "square", "ring", "dot", "bar2"]


def stamp(kind, rs):
    im = rs.uniform(0.0, 0.25, (SIDE, SIDE))
    cy, cx = SIDE // 2 + rs.randint(-2, 3, 2)
    yy, xx = np.mgrid[0:SIDE, 0:SIDE]
    dist = np.sqrt((yy - cy) ** 2 + (xx - cx) ** 2)
    if kind == "slot":
        im[cy - 1:cy + 1, cx - 6:cx + 6] = 1
    elif kind == "cross":
        im[cy - 1:cy + 1, cx - 6:cx + 6] = 1
        im[cy - 6:cy + 6, cx - 1:cx + 1] = 1
    elif kind == "square":
        im[cy - 4:cy + 4, cx - 4:cx + 4] = 1
    elif kind == "ring":
        im[(dist > 4) & (dist < 6.5)] = 1
    elif kind == "dot":
        im[dist < 3] = 1
    else:
        im[cy - 6:cy + 6, cx - 4:cx - 2] = 1
        im[cy - 6:cy + 6, cx + 2:cx + 4] = 1
    return im


def load(n, seed):
    rs = np.random.RandomState(seed)
    kinds = rs.randint(0, len(HEADS), n)
    x = np.stack([stamp(HEADS[k], rs) for k in kinds])[..., None].astype("float32")
    return x, to_categorical(kinds, len(HEADS))
