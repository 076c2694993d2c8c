"""Leaves with a status of its own from deep inside."""

import sys


def require(condition, status):
    if not condition:
        sys.exit(status)  # <- cause


def main():
    rows = [1, 2]
    require(len(rows) > 1, 2)
    require(len(rows) > 2, 3)


main()
