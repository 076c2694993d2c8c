"""How much a program in the sandbox has written; runs in the process that waits for it, outside of its view.

Invariant: never follows a link, goes by descriptors, and takes what it cannot examine for nothing: a disk that
becomes full ends the program all the same.
"""

from __future__ import annotations

import contextlib
import os
import time

_BLOCK_BYTES = 512
EVERY_S = 0.25
_COST_SHARE = 20
"""A look waits at least this many times as long as the last one took."""
_FREE_BYTES = 1 << 30
"""So much of the disk stays free, or half of what was free at the start."""


class ScratchUse:
    def __init__(self, directory_fd: int, most_bytes: int) -> None:
        self._fd, self._most_bytes = directory_fd, most_bytes
        self._floor_bytes = min(_FREE_BYTES, self._free_bytes() // 2)
        self._next_s = 0.0

    def excess(self) -> str | None:
        """Why the program must end, if it must."""
        now = time.monotonic()
        if now < self._next_s:
            return None
        used = used_bytes(self._fd)
        self._next_s = time.monotonic() + max(EVERY_S, (time.monotonic() - now) * _COST_SHARE)
        if used > self._most_bytes:
            return f"the program wrote {used} bytes, and {self._most_bytes} are allowed in the sandbox"
        if self._free_bytes() < self._floor_bytes:
            return "the disk of the scratch directory is almost full"
        return None

    def _free_bytes(self) -> int:
        seen = os.fstatvfs(self._fd)
        return seen.f_bavail * seen.f_frsize


def used_bytes(directory_fd: int) -> int:
    total = 0
    with contextlib.suppress(OSError, RecursionError):
        for _, directories, files, fd in os.fwalk(".", dir_fd=directory_fd):
            for name in (*directories, *files):
                with contextlib.suppress(OSError):
                    total += os.stat(name, dir_fd=fd, follow_symlinks=False).st_blocks * _BLOCK_BYTES
    return total
