"""A pool of processes, each of which reads the whole table when it starts."""

import time
from concurrent.futures import ProcessPoolExecutor

import numpy as np

table = None


def load():
    global table
    table = np.arange(15_000 * 1000, dtype="float64").reshape(15_000, 1000) * 0.5


def score(row):
    time.sleep(0.4)
    return float(table[row].sum())


if __name__ == "__main__":
    with ProcessPoolExecutor(8, initializer=load) as pool:  # <- cause
        # Not `pool.map`, which cancels what is left when one result fails: in Python 3.11 that can meet the pool's own
        # handling of a killed worker, whose thread then ends before it has ended the other workers.
        results = [pool.submit(score, row) for row in range(200)]
        print(sum(result.result() for result in results))
