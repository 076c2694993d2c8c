import multiprocessing
import tempfile

import numpy as np


def work(path, number):
    rows = np.load(path, mmap_mode="r")
    return float(rows[number].sum())


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as directory:
        path = f"{directory}/rows.npy"
        np.save(path, np.ones((1000, 1000)))
        with multiprocessing.Pool(3) as pool:
            pool.starmap(work, [(path, number) for number in range(30)])
