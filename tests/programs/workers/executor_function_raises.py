"""The same with concurrent.futures, where the function is in a module of its own and calls on."""

import multiprocessing
from concurrent.futures import ProcessPoolExecutor, wait

from scaling import scaled

if __name__ == "__main__":
    context = multiprocessing.get_context("spawn")
    with ProcessPoolExecutor(1, mp_context=context) as pool:
        results = [pool.submit(scaled, values) for values in ([1.0, 3.0], [2.0, 2.0])]
        wait(results)
        print([result.result() for result in results])
