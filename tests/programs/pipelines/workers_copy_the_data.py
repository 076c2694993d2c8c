import multiprocessing
import time
from queue import Empty

import numpy as np


def work(rows, queue):
    own = rows * 2.0
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
    rows = np.random.rand(12_000, 1000)
    workers = []
    for number in range(64):
        queue = multiprocessing.Queue(1)
        worker = multiprocessing.Process(target=work, args=(rows, queue), daemon=True)  # <- cause
        worker.start()
        workers.append(worker)
        wait_for(workers, queue)
        time.sleep(0.2)
        print("held", len(workers) * rows.nbytes, flush=True)
