"""A worker of a pool grows beyond the memory limit and is killed by the kernel; the pool waits for ever."""

import multiprocessing

import numpy as np


def load(number):
    frames = []
    for _ in range(200 if number == 3 else 2):
        frames.append(np.ones((1000, 1000)))  # <- cause
    return len(frames)


if __name__ == "__main__":
    with multiprocessing.Pool(2) as pool:
        print(sum(pool.imap_unordered(load, range(6))))
