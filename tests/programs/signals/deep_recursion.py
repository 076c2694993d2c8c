"""Lifts the recursion limit, then nests calls through C until the stack is gone."""

import sys

sys.setrecursionlimit(10**8)


def visit(node):
    return sorted([node], key=visit)  # <- cause


visit("root")
