"""The writer of results ends at the first bad one, and the main thread waits for the rest until a scheduler ends it."""

import os
import queue
import threading

results = queue.Queue()


def work():
    for number in range(4, -1, -1):
        if number == 2:
            return
        results.put(10 / number)


threading.Thread(target=work, name="worker").start()
print("ready", os.getpid(), flush=True)
print(sum(results.get() for _ in range(5)))  # <- cause
