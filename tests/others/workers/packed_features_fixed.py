import multiprocessing
import os
import tempfile

os.environ["TF_CPP_MIN_LOG_LEVEL"] = "2"
import h5py
import keras
import numpy as np

WORKERS, BATCH = 2, 16


class Speech:
    """Frames of recordings in an HDF5 file."""

    def __init__(self, path):
        self.path = path
        with h5py.File(path, "r") as file:
            self.labels = file["labels"][:]

    def __len__(self):
        return len(self.labels) // BATCH

    def batch(self, number):
        rows = slice(number * BATCH, (number + 1) * BATCH)
        with h5py.File(self.path, "r") as file:
            return file["frames"][rows], self.labels[rows]


def write(path, recordings=96):
    draw = np.random.default_rng(4)
    with h5py.File(path, "w") as file:
        file["frames"] = draw.normal(size=(recordings, 20, 13)).astype("float32")
        file["labels"] = draw.integers(0, 3, recordings)


def load(job):
    speech, number = job
    return speech.batch(number)


def batches(speech):
    """All batches, read by worker processes."""
    with multiprocessing.get_context("spawn").Pool(WORKERS) as pool:
        yield from pool.imap(load, [(speech, number) for number in range(len(speech))])


def main():
    with tempfile.TemporaryDirectory() as where:
        path = os.path.join(where, "speech.h5")
        write(path)
        network = keras.Sequential(
            [keras.Input((20, 13)), keras.layers.GRU(8), keras.layers.Dense(3, activation="softmax")]
        )
        network.compile("adam", "sparse_categorical_crossentropy")
        for x, y in batches(Speech(path)):
            print("loss", network.train_on_batch(x, y), flush=True)


if __name__ == "__main__":
    main()
