"""Closes every descriptor but the first three, as daemons do, then fails."""

import os

os.closerange(3, 4096)
with open("mine.txt", "w") as mine:
    mine.write("only what I write\n")
    mine.flush()
    assert open("mine.txt").read() == "only what I write\n"
    raise LookupError("after all descriptors were closed")  # <- cause
