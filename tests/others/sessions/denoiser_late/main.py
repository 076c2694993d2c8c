import os

os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "2")

import numpy as np
import tensorflow.compat.v1 as tf

from network import Denoiser

tf.disable_v2_behavior()


def waves(n=320, width=16):
    rng = np.random.default_rng(41)
    t = np.linspace(0, 1, width)
    freq = rng.uniform(1, 3, size=(n, 1))
    phase = rng.uniform(0, 6, size=(n, 1))
    clean = np.sin(2 * np.pi * freq * t[None, :] + phase)
    noisy = clean + rng.normal(scale=0.3, size=clean.shape)
    return noisy.astype("float32"), clean.astype("float32")


def main():
    tf.set_random_seed(41)
    noisy, clean = waves()
    model = Denoiser(width=noisy.shape[1])
    sample = model.train(noisy, clean)
    error = np.mean((sample - clean[:4]) ** 2)
    print("error on the first waves: %.4f" % error)


if __name__ == "__main__":
    main()
