"""Files that stay open under high numbers, because a guest must not open any; runs in the user's process.

Invariant: `open` takes the lowest free number, and a program that closes descriptor 1 to open another file
counts on getting that one. So what is read repeatedly is opened before the program begins, moved far above the
numbers that programs count on, and read by position. What has to be opened later is opened, and closed or moved, while
the main thread stands still (see `standstill`). A number that the program closed and gave to a file of its own is left
alone.
"""

from __future__ import annotations

import fcntl
import os
import resource

_HIGH = 900


def raised(low: int) -> int:
    """The same open file under a high number; the low one is closed."""
    try:
        limit = resource.getrlimit(resource.RLIMIT_NOFILE)[0]
        return fcntl.fcntl(low, fcntl.F_DUPFD_CLOEXEC, min(_HIGH, max(3, limit - 16)))
    finally:
        os.close(low)


class HeldFile:
    """A file that is open for reading, or is not there."""

    def __init__(self, path: str) -> None:
        self._path = path
        self.descriptor = -1
        self._identity: tuple[int, int] | None = None
        self.open()

    def open(self) -> None:
        """To be called while the program stands still."""
        try:
            self.descriptor = raised(os.open(self._path, os.O_RDONLY | os.O_CLOEXEC))
            self._identity = identity(self.descriptor)
        except OSError:
            self.descriptor, self._identity = -1, None

    def is_lost(self) -> bool:
        """Whether it was open, and the program has closed it."""
        try:
            return self._identity is not None and identity(self.descriptor) != self._identity
        except OSError:
            return True

    def close(self) -> None:
        if self._identity is not None and not self.is_lost():
            os.close(self.descriptor)
        self.descriptor, self._identity = -1, None

    def read(self) -> bytes | None:
        if self._identity is None or self.is_lost():
            return None
        try:
            return os.pread(self.descriptor, 1 << 16, 0) or None
        except OSError:
            return None


def identity(descriptor: int) -> tuple[int, int]:
    status = os.fstat(descriptor)
    return status.st_dev, status.st_ino
