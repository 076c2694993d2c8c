"""A worker process fails with an exception; the parent notices the status and leaves."""

import multiprocessing
import sys


def prepare(shard):
    return 100 // (shard - 2)  # <- cause


if __name__ == "__main__":
    workers = [multiprocessing.Process(target=prepare, args=(shard,)) for shard in range(4)]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()
    sys.exit(max(worker.exitcode for worker in workers))  # <- cause
