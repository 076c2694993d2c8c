"""A task that takes too long is given up: its pool is terminated and a new one does the rest."""

import multiprocessing
import time


def simulate(number):
    if number == 2:
        time.sleep(600)
    return number + 1


if __name__ == "__main__":
    waiting, results, given_up = list(range(6)), {}, []
    pool = multiprocessing.Pool(2)
    while waiting:
        number = waiting.pop(0)
        try:
            results[number] = pool.apply_async(simulate, (number,)).get(timeout=1.0)
        except multiprocessing.TimeoutError:
            given_up.append(number)
            pool.terminate()
            pool.join()
            pool = multiprocessing.Pool(2)
    pool.close()
    pool.join()
    print("results", len(results), "given up", given_up)
