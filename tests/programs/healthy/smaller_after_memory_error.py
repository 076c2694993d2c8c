"""Asks for far too large an array, and takes a smaller one when it is refused."""

import numpy as np

rows = 1 << 40
while True:
    try:
        table = np.zeros((rows, 64))
        break
    except MemoryError:
        rows //= 64
print(rows > 0, table.shape[1])
