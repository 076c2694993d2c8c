"""Replaces exec_chain.py."""

import sys

limit = int(sys.argv[1])
print([10 // (limit - n) for n in range(limit + 1)])  # <- cause
