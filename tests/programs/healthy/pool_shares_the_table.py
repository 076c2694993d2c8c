"""A table that is loaded once, before a pool of processes is forked: all of them read the same pages."""

import multiprocessing
from concurrent.futures import ProcessPoolExecutor

import numpy as np

table = None


def load():
    global table
    table = np.arange(5000 * 1000, dtype="float64").reshape(5000, 1000)
    table *= 0.5


def score(row):
    return float(table[row].sum())


if __name__ == "__main__":
    load()
    with ProcessPoolExecutor(6, mp_context=multiprocessing.get_context("fork")) as pool:
        print(sum(pool.map(score, range(200))))
