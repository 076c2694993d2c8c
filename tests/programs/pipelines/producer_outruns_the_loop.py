"""A thread prepares batches faster than the loop takes them, and its queue has no end."""

import queue
import threading
import time

import numpy as np

waiting = queue.Queue()


def produce():
    number = 0
    while True:
        waiting.put(np.full((200, 5000), number, "float32"))  # <- cause
        number += 1
        print("held", waiting.qsize() * 200 * 5000 * 4, flush=True)


threading.Thread(target=produce, daemon=True).start()
while True:
    waiting.get().mean()
    time.sleep(0.1)
