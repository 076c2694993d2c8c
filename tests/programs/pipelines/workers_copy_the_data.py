import multiprocessing
import time

import numpy as np


def work(rows, queue):
    own = rows * 2.0
    while True:
        queue.put(float(own[0, 0]))
        time.sleep(0.1)


if __name__ == "__main__":
    rows = np.random.rand(12_000, 1000)
    queue = multiprocessing.Queue(8)
    workers = []
    for number in range(64):
        worker = multiprocessing.Process(target=work, args=(rows, queue), daemon=True)  # <- cause
        worker.start()
        workers.append(worker)
        time.sleep(0.3)
        if not all(worker.is_alive() for worker in workers):
            raise RuntimeError("a worker is gone")
