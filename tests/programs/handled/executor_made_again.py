"""A task kills its worker; the program makes a new executor, gives it what is left, and gives up that task after two tries."""

import os
import signal
from concurrent.futures import ProcessPoolExecutor, as_completed
from concurrent.futures.process import BrokenProcessPool

MOST_TRIES = 2


def work(number):
    if number == 5:
        os.kill(os.getpid(), signal.SIGKILL)
    return number * number


def run_all(numbers):
    results, tries = {}, dict.fromkeys(numbers, 0)
    while left := [number for number in numbers if number not in results and tries[number] < MOST_TRIES]:
        alone = any(tries.values())
        with ProcessPoolExecutor(max_workers=1 if alone else 2) as pool:
            futures = {pool.submit(work, number): number for number in (left[:1] if alone else left)}
            for future in as_completed(futures):
                try:
                    results[futures[future]] = future.result()
                except BrokenProcessPool:
                    tries[futures[future]] += 1
    return results


if __name__ == "__main__":
    done = run_all(list(range(8)))
    print("done", len(done), "given up", sorted(set(range(8)) - set(done)))
