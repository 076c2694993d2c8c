"""A preprocessing script: pictures pile up in a list until all are there, are joined and saved, and the program ends."""

import os
import tempfile

import numpy as np


def load(number, rng):
    return rng.random((256, 256, 3), dtype="float32") * (number % 7)


def main():
    rng = np.random.default_rng(0)
    pictures = []
    for number in range(400):
        pictures.append(load(number, rng))
    with tempfile.TemporaryDirectory() as folder:
        np.save(os.path.join(folder, "pictures.npy"), np.stack(pictures)[:10])
    print("saved", len(pictures))


main()
