"""Reads a mapped file that somebody truncated in the meantime."""

import mmap
import os

with open("features.bin", "wb+") as file:
    file.write(bytes(4 * mmap.PAGESIZE))
    file.flush()
    features = mmap.mmap(file.fileno(), 0)
    os.truncate("features.bin", 0)
    total = sum(features[:16])  # <- cause
print(total)
