"""A worker thread of a pool prepares the data; its error comes out of result()."""

from concurrent.futures import ThreadPoolExecutor

import numpy as np


def prepare(path):
    table = np.loadtxt(path, delimiter=",")  # <- cause
    return table.mean(axis=0)


with ThreadPoolExecutor(2) as pool:
    jobs = [pool.submit(prepare, name) for name in ("first.csv", "second.csv")]
    print([job.result() for job in jobs])
