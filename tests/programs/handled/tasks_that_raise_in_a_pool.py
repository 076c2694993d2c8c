"""A pool whose tasks raise for bad files: the errors come back as values, and workers are renewed after some tasks."""

import multiprocessing

import numpy as np


def read(number):
    if number % 7 == 3:
        raise OSError(f"file {number} is damaged")
    return np.full(1000, number).mean()


def guarded(number):
    try:
        return number, read(number), None
    except OSError as error:
        return number, None, str(error)


if __name__ == "__main__":
    with multiprocessing.Pool(2, maxtasksperchild=5) as pool:
        rows = list(pool.imap_unordered(guarded, range(30)))
        late = pool.apply_async(read, (3,))
        try:
            late.get(timeout=30)
        except OSError as error:
            print("also", error)
    print("read", sum(error is None for _, _, error in rows), "damaged", sum(error is not None for _, _, error in rows))
