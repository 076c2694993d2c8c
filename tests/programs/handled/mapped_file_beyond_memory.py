"""A file twice as large as the memory is written and read through a memory map, some rows at a time."""

import os
import tempfile

import numpy as np

rows, columns = 100_000, 500
with tempfile.TemporaryDirectory(dir=os.getcwd()) as folder:
    path = os.path.join(folder, "signal.npy")
    table = np.lib.format.open_memmap(path, "w+", "float64", (rows, columns))
    for begin in range(0, rows, 10_000):
        table[begin : begin + 10_000] = np.arange(begin, begin + 10_000)[:, None]
    del table
    signal = np.load(path, mmap_mode="r")
    means = np.concatenate([signal[begin : begin + 5_000].mean(axis=1) for begin in range(0, rows, 5_000)])
    print(os.path.getsize(path) > 300_000_000, means[-1])
