import argparse

import numpy as np
from tensorflow import keras

from blocks import GridConv

SIDE = 32


def lakes(n, seed=0):
    rng = np.random.default_rng(seed)
    yy, xx = np.mgrid[0:SIDE, 0:SIDE]
    cx, cy = rng.uniform(8, 24, (2, n, 1, 1))
    mask = ((xx - cx) ** 2 + (yy - cy) ** 2 < 36).astype("float32")[..., None]
    img = mask * 0.6 + rng.normal(0, 0.2, (n, SIDE, SIDE, 1))
    return img.astype("float32"), mask


def unet_lite():
    inp = keras.Input((SIDE, SIDE, 1))
    a = GridConv(8)(inp)
    b = keras.layers.MaxPooling2D()(a)
    b = GridConv(16)(b)
    b = keras.layers.UpSampling2D()(b)
    h = keras.layers.concatenate([a, b])
    out = keras.layers.Conv2D(1, 1, activation="sigmoid", dtype="float32")(h)
    return keras.Model(inp, out)


if __name__ == "__main__":
    ap = argparse.ArgumentParser()
    ap.add_argument("--policy", default="mixed_float16")
    opts = ap.parse_args()
    keras.mixed_precision.set_global_policy(opts.policy)
    model = unet_lite()
    model.compile(optimizer="adam", loss="binary_crossentropy")
    x, y = lakes(48)
    model.fit(x, y, batch_size=16, epochs=2, verbose=2)
