"""A producer gives up without a word; the training waits for its next batch for a while and then raises."""

import queue
import threading

import numpy as np


class Feed:
    def __init__(self, count):
        self.count = count
        self.waiting = queue.Queue(maxsize=4)
        threading.Thread(target=self.fill, daemon=True).start()

    def load(self, number):
        rows = np.ones((8, 4 if number < 20 else 5))
        return rows.reshape(8, 4)

    def fill(self):
        for number in range(self.count):
            try:
                self.waiting.put(self.load(number))
            except Exception:  # <- cause
                return

    def take(self):
        return self.waiting.get(timeout=7)


feed = Feed(100)
total = 0.0
for _ in range(100):
    total += feed.take().sum()
print(total)
