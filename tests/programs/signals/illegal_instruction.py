"""Runs bytes that are no instruction, as a library built for another processor does."""

import ctypes
import mmap

page = mmap.mmap(-1, mmap.PAGESIZE, prot=mmap.PROT_READ | mmap.PROT_WRITE | mmap.PROT_EXEC)
page.write(b"\x0f\x0b")
start = ctypes.addressof(ctypes.c_char.from_buffer(page))
function = ctypes.CFUNCTYPE(None)(start)
function()  # <- cause
