"""A producer skips what it cannot read and says so; it brings all the others, and the program ends."""

import queue
import sys
import threading

import numpy as np

batches = queue.Queue(maxsize=4)


def load(number):
    return np.ones((8, 5 if number % 10 == 3 else 4)).reshape(8, 4)


def fill():
    for number in range(60):
        try:
            batches.put(load(number))
        except ValueError as error:
            print("skipped", number, error, file=sys.stderr)
    batches.put(None)


threading.Thread(target=fill).start()
total = 0.0
while (batch := batches.get()) is not None:
    total += batch.sum()
print(total)
