"""A task kills its worker; the program notices, leaves that task out and does the others by itself."""

import os
from concurrent.futures import ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool


def work(number):
    if number == 3:
        os.abort()
    return number * number


def main():
    try:
        with ProcessPoolExecutor(2) as pool:
            results = list(pool.map(work, range(6)))
    except BrokenProcessPool:
        results = [work(number) for number in range(6) if number != 3]
    print(sum(results))


if __name__ == "__main__":
    main()
