import multiprocessing
import time
from queue import Empty

import numpy as np

PARTS = 12


def work(rows, queue):
    own = np.empty_like(rows)
    for source, target in zip(np.split(rows, PARTS), np.split(own, PARTS), strict=True):
        np.multiply(source, 2.0, out=target)
        queue.put(float(target[0, 0]))
        time.sleep(0.03)
    while True:
        queue.put(float(own[0, 0]))


def wait_for(workers, queue):
    while all(worker.is_alive() for worker in workers):
        try:
            return queue.get(timeout=0.2)
        except Empty:
            continue
    raise RuntimeError("a worker is gone")


if __name__ == "__main__":
    rows = np.random.rand(24_000, 1000)
    workers = []
    for number in range(64):
        queue = multiprocessing.Queue(1)
        worker = multiprocessing.Process(target=work, args=(rows, queue), daemon=True)  # <- cause
        worker.start()
        workers.append(worker)
        for part in range(PARTS):
            wait_for(workers, queue)
            print("held", (number * PARTS + part + 1) * rows.nbytes // PARTS, flush=True)
