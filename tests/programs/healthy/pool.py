"""A pool of worker processes, by fork and by spawn."""

import multiprocessing


def square(number):
    return number * number


if __name__ == "__main__":
    for method in ("fork", "spawn"):
        with multiprocessing.get_context(method).Pool(2) as pool:
            print(method, sum(pool.map(square, range(100))))
