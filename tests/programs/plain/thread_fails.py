"""A worker thread dies of an error; the main thread then waits in vain and gives up."""

import queue
import threading

results = queue.Queue()


def worker(path):
    rows = open(path).readlines()  # <- cause
    results.put(len(rows))


threading.Thread(target=worker, args=("rows-that-are-not-there.txt",), daemon=True).start()
print(results.get(timeout=1))  # <- cause
