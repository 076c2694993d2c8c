"""Replaces sys.excepthook with a quiet one that does not call the old one."""

import sys


def one_line(kind, error, trace):
    print("failed:", kind.__name__, file=sys.stderr)


sys.excepthook = one_line
values = []
print(values[0])  # <- cause
