"""How much a program in the sandbox has written; runs in the process that waits for it, outside of its view.

Invariant: never follows a link, goes by descriptors, and takes what it cannot examine for nothing: a disk that
becomes full ends the program all the same. Files that were deleted and are still open are not counted either.
"""

from __future__ import annotations

import contextlib
import os
import time
from collections.abc import Collection

from whydied import words

_BLOCK_BYTES = 512
EVERY_S = 0.25
_COST_SHARE = 20
"""A look waits at least this many times as long as the last one took."""
_FREE_BYTES = 1 << 30
"""So much of the disk stays free, or half of what was free at the start."""
_UNCOUNTED_BYTES = 1 << 20
"""For directories and small files: who writes one file up to its bound gets an error, as on a full disk."""


class ScratchUse:
    """Made before the program starts: what lies there already does not count."""

    def __init__(self, directories: Collection[str], most_bytes: int) -> None:
        self._fds = [os.open(path, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC) for path in directories]
        self._most_bytes = most_bytes
        self._before_bytes = self._used_bytes()
        self._floor_bytes = min(_FREE_BYTES, self._free_bytes() // 2)
        self._next_s = 0.0

    def close(self) -> None:
        for fd in self._fds:
            os.close(fd)

    def excess(self) -> str | None:
        """Why the program must end, if it must."""
        now = time.monotonic()
        if now < self._next_s:
            return None
        used = self._used_bytes() - self._before_bytes
        self._next_s = time.monotonic() + max(EVERY_S, (time.monotonic() - now) * _COST_SHARE)
        if used > self._most_bytes + _UNCOUNTED_BYTES:
            return f"the program wrote {words.size(used)}; the sandbox allows {words.size(self._most_bytes)}"
        if self._free_bytes() < self._floor_bytes:
            return "the disk of the scratch directory is almost full"
        return None

    def _free_bytes(self) -> int:
        seen = os.fstatvfs(self._fds[0])
        return seen.f_bavail * seen.f_frsize

    def _used_bytes(self) -> int:
        return sum(map(used_bytes, self._fds))


def used_bytes(directory_fd: int) -> int:
    total = 0
    with contextlib.suppress(OSError, RecursionError):
        for _, directories, files, fd in os.fwalk(".", dir_fd=directory_fd):
            for name in (*directories, *files):
                with contextlib.suppress(OSError):
                    total += os.stat(name, dir_fd=fd, follow_symlinks=False).st_blocks * _BLOCK_BYTES
    return total
