import concurrent.futures

import numpy as np

table = None


def load():
    global table
    table = np.random.default_rng(14).normal(size=(6_000_000, 8))


def summary(column):
    return float(table[:, column].mean()), float(table[:, column].max())


def main():
    load()
    with concurrent.futures.ProcessPoolExecutor(4) as pool:
        found = list(pool.map(summary, range(8)))
    print(len(found))


if __name__ == "__main__":
    main()
