"""Closes every descriptor, reuses the numbers for files of its own, and crashes natively."""

import ctypes
import os

os.closerange(3, 4096)
files = [open(f"part{n}.txt", "w") for n in range(4)]
ctypes.string_at(0)
