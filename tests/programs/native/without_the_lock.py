"""Calls into the interpreter without holding its lock, as a faulty extension does: Python itself gives up."""

import ctypes

interpreter = ctypes.CDLL(None)


def resume():
    interpreter.PyEval_RestoreThread(None)  # <- cause


print("resuming", flush=True)
resume()
