"""The C library aborts: a block is freed twice."""

import ctypes

libc = ctypes.CDLL(None)
libc.malloc.restype = ctypes.c_void_p
libc.malloc.argtypes = [ctypes.c_size_t]
libc.free.argtypes = [ctypes.c_void_p]
block = libc.malloc(4096)
neighbour = libc.malloc(4096)
libc.free(block)
libc.free(block)  # <- cause
libc.free(block)  # <- cause
