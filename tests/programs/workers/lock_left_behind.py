"""A process fails while it holds a lock between processes; the next one waits for that lock."""

import multiprocessing


def append(lock, shard):
    lock.acquire()
    if shard == 0:
        raise RuntimeError(f"shard {shard} is empty")  # <- cause
    lock.release()


if __name__ == "__main__":
    lock = multiprocessing.Lock()
    for shard in range(2):
        worker = multiprocessing.Process(target=append, args=(lock, shard))
        worker.start()
        worker.join()
