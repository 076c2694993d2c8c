"""The resource limits of the program's first process, which it may change itself; runs in the parent.

Invariant: a limit is recorded when first seen and when it changes, at most once a second.
"""

from __future__ import annotations

import time

from whydied.linux import proc
from whydied.records import RlimitsSeen

EVERY_S = 1.0


class RlimitWatch:
    def __init__(self, pid: int, root: str = "/") -> None:
        self._path = f"{root}proc/{pid}/limits"
        self._last: RlimitsSeen | None = None
        self._next_s = 0.0

    def look(self) -> RlimitsSeen | None:
        """The limits, where they are new."""
        now = time.monotonic()
        if now < self._next_s:
            return None
        self._next_s = now + EVERY_S
        text = proc.read_text(self._path)
        seen = parse(text) if text else None
        if seen is None or seen == self._last:
            return None
        self._last = seen
        return seen


def parse(text: str) -> RlimitsSeen:
    """`/proc/<pid>/limits`: a name in the first 26 columns, then soft limit, hard limit and unit."""
    rows = {line[:26].strip(): line[26:].split() for line in text.splitlines()[1:]}

    def limit(name: str, column: int = 0) -> int | None:
        row = rows.get(name, [])
        return int(row[column]) if len(row) > column and row[column].isdigit() else None

    return RlimitsSeen(
        cpu_soft_s=limit("Max cpu time"),
        cpu_hard_s=limit("Max cpu time", 1),
        address_space_bytes=limit("Max address space"),
        data_bytes=limit("Max data size"),
        file_size_bytes=limit("Max file size"),
        stack_bytes=limit("Max stack size"),
        open_files=limit("Max open files"),
        processes=limit("Max processes"),
    )
