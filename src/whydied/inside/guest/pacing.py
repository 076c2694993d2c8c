"""Counts what happens repeatedly, and says which of it is recorded; runs in the user's process.

Invariant: everything is counted; the first `free` ones are recorded, and after them at most one in `pause_ns`.
"""

from __future__ import annotations

import time


class Paced:
    __slots__ = ("_free", "_last_ns", "_pause_ns", "count")

    def __init__(self, pause_ns: int, free: int = 0) -> None:
        self._pause_ns = pause_ns
        self._free = free
        self._last_ns = 0
        self.count = 0

    def one_more(self) -> int | None:
        """How many there were, or None where this one is too near to the last that was recorded."""
        self.count += 1
        now = time.monotonic_ns()
        if self.count > self._free and now - self._last_ns < self._pause_ns:
            return None
        self._last_ns = now
        return self.count
