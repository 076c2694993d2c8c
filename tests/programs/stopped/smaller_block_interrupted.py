"""A block that was refused is made smaller, and the work with it goes on until somebody presses Ctrl-C."""

import os
import time

import numpy as np

rows = 1 << 40
while True:
    try:
        block = np.zeros((rows, 64))
        break
    except MemoryError:
        rows = 1 << 10
for step in range(100_000):
    block += step
    if step == 100:
        print("ready", os.getpid(), flush=True)
    time.sleep(0.005)
