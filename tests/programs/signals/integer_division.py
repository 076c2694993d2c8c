"""Divides by zero in C, where it is a signal."""

import ctypes

divide = ctypes.CDLL(None).div
print("dividing", flush=True)
divide(7, 0)  # <- cause
