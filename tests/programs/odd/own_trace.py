"""Has a trace function, and fails under it."""

import sys


def trace(frame, event, argument):
    return trace


sys.settrace(trace)
bounds = (0, 1)
bounds[0] = 2  # <- cause
