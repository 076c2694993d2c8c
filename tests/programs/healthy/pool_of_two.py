from concurrent.futures import ProcessPoolExecutor

import numpy as np

table = None


def load():
    global table
    table = np.arange(2_000_000, dtype="float64").reshape(2000, 1000) * 0.5


def score(row):
    return float(table[row].sum())


if __name__ == "__main__":
    with ProcessPoolExecutor(2, initializer=load) as pool:
        print(sum(pool.map(score, range(200))))
