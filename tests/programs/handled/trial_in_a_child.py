"""Each size is tried in a child with a bound on its memory; a child that is refused says so by its exit status."""

import multiprocessing
import resource
import sys

import numpy as np

REFUSED = 3


def attempt(rows):
    with open("/proc/self/statm") as file:
        now = int(file.read().split()[0]) * resource.getpagesize()
    resource.setrlimit(resource.RLIMIT_AS, (now + (200 << 20), resource.RLIM_INFINITY))
    try:
        table = np.ones((rows, 64))
    except MemoryError:
        sys.exit(REFUSED)
    sys.exit(0 if table[-1, -1] == 1 else 1)


def fits(rows):
    child = multiprocessing.get_context("fork").Process(target=attempt, args=(rows,))
    child.start()
    child.join()
    if child.exitcode not in (0, REFUSED):
        raise RuntimeError(f"the trial ended with {child.exitcode}")
    return child.exitcode == 0


low, high = 1, 1 << 20
while high - low > 1 << 16:
    middle = (low + high) // 2
    low, high = (middle, high) if fits(middle) else (low, middle)
print("fits", low > 1)
