"""A pool worker is killed by a signal of its own making; the parent hears only of a broken pool."""

import os
import signal
from concurrent.futures import ProcessPoolExecutor


def fragile(number):
    if number == 3:
        os.kill(os.getpid(), signal.SIGKILL)  # <- cause
    return number


if __name__ == "__main__":
    with ProcessPoolExecutor(1) as pool:
        print(pool.submit(fragile, 3).result())  # <- cause
