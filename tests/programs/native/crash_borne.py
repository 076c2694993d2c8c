"""Tries something dangerous in a process of its own, which crashes, and goes on without it."""

import ctypes
import multiprocessing


def dangerous():
    ctypes.string_at(0)


if __name__ == "__main__":
    attempt = multiprocessing.get_context("fork").Process(target=dangerous)
    attempt.start()
    attempt.join()
    print("the attempt ended with", attempt.exitcode)
