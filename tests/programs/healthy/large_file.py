"""Writes, reads back and removes a file of a few megabytes."""

import os

with open("scratch.bin", "wb") as file:
    file.write(os.urandom(4 << 20))
print(os.path.getsize("scratch.bin"))
os.remove("scratch.bin")
