"""A thread that should fill the queue ends by an exception; the main thread waits for its next item."""

import queue
import threading

batches = queue.Queue(maxsize=4)
paths = {0: "a.npy", 1: "b.npy", 3: "d.npy"}


def load_all():
    for number in range(4):
        batches.put(paths[number])  # <- cause


threading.Thread(target=load_all, name="loader", daemon=True).start()
for _ in range(4):
    print(batches.get())
