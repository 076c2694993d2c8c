"""What the OpenMP runtime does when it finds another: says so on the descriptor and aborts, from native code."""

import ctypes

libc = ctypes.CDLL(None)
words = b"OMP: Error #15: Initializing libiomp5.so, but found libomp.so already initialized.\n"
libc.write(2, words, len(words))
libc.abort()  # <- cause
