"""A worker of a pool is killed; the pool starts another one and waits for the lost result for ever."""

import multiprocessing
import os
import signal


def measure(number):
    if number == 5:
        os.kill(os.getpid(), signal.SIGKILL)  # <- cause
    return number * number


if __name__ == "__main__":
    with multiprocessing.Pool(2) as pool:
        print(sum(pool.map(measure, range(8), chunksize=1)))
