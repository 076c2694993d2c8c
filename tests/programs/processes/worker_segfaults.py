"""A spawned worker crashes in native code."""

import ctypes
import multiprocessing
import sys
from concurrent.futures import ProcessPoolExecutor


def crash(address):
    return ctypes.string_at(address)  # <- cause


if __name__ == "__main__":
    context = multiprocessing.get_context("spawn")
    with ProcessPoolExecutor(1, mp_context=context) as pool:
        sys.exit(len(pool.submit(crash, 0).result()))  # <- cause
