"""Counts what happens repeatedly, and says which of it is recorded; runs in the user's process.

Invariant: everything is counted, and at most one in `pause_ns` is recorded.
"""

from __future__ import annotations

import time


class Paced:
    __slots__ = ("_count", "_last_ns", "_pause_ns")

    def __init__(self, pause_ns: int) -> None:
        self._pause_ns = pause_ns
        self._count = 0
        self._last_ns = 0

    def one_more(self) -> int | None:
        """How many there were, or None where this one is too near to the last that was recorded."""
        self._count += 1
        now = time.monotonic_ns()
        if now - self._last_ns < self._pause_ns:
            return None
        self._last_ns = now
        return self._count
