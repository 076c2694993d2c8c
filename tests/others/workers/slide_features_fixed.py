"""Embeds the tiles of a slide in two ranks and keeps the features on disk."""

import os
import tempfile
import threading

import numpy as np
import tensorflow as tf
from numpy.lib.format import open_memmap

tf.random.set_seed(0)

TILES = 900
FEATURES = 256
RANKS = 2


def tile(number):
    rng = np.random.default_rng(number)
    return rng.random((32, 32, 3)).astype("float32")


def encoder():
    return tf.keras.Sequential(
        [
            tf.keras.layers.Input((32, 32, 3)),
            tf.keras.layers.Conv2D(16, 3, strides=2, activation="relu"),
            tf.keras.layers.GlobalAveragePooling2D(),
            tf.keras.layers.Dense(FEATURES),
        ]
    )


class Rank(threading.Thread):
    """Embeds its share of the tiles of a slide and writes the features to disk."""

    def __init__(self, model, rank, share, folder):
        super().__init__()
        self.model, self.rank, self.share = model, rank, share
        self.path = os.path.join(folder, f"features{rank}.npy")
        self.store = open_memmap(self.path, mode="w+", dtype="float32", shape=(len(share), FEATURES))

    def run(self):
        for start in range(0, len(self.share), 50):
            numbers = self.share[start:start + 50]
            batch = np.stack([tile(number) for number in numbers])
            self.store[start:start + len(numbers)] = self.model(batch).numpy()
        self.store.flush()
        print("rank", self.rank, "wrote", self.store.shape, flush=True)


def main():
    model = encoder()
    model(np.stack([tile(0)]))
    shares = [range(0, 700), range(700, TILES)]
    with tempfile.TemporaryDirectory() as folder:
        ranks = [Rank(model, rank, shares[rank], folder) for rank in range(RANKS)]
        for rank in ranks:
            rank.start()
        for rank in ranks:
            rank.join()
        print("files:", sorted(os.listdir(folder)))


main()
