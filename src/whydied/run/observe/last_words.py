"""The last bytes of a program that reads its own standard output and error itself; runs in the parent.

A Jupyter kernel puts pipes of its own over descriptors 1 and 2 and a thread of its own reads them. What native code
wrote just before the process died is then still in such a pipe, and would be lost with it. The supervisor holds a
reading end of the same pipes from outside and takes what is left.

Invariant: while the program lives, nothing is ever read from its pipes.
"""

from __future__ import annotations

import contextlib
import os
import time

_LOOK_EVERY_S = 0.5
_MOST_BYTES = 1 << 20


class LastWords:
    """The pipes that a program laid over its standard output and error, as far as they were seen."""

    def __init__(self, pid: int) -> None:
        self._pid = pid
        self._given = {number: self._target(number) for number in (1, 2)}
        self._held: dict[str, int] = {}
        self._next_s = 0.0

    def look(self) -> None:
        """Take hold of pipes that the program made since the last look, and let go of those that it left."""
        if time.monotonic() < self._next_s:
            return
        self._next_s = time.monotonic() + _LOOK_EVERY_S
        there = {target: number for number in (1, 2) if (target := self._own_pipe(number))}
        for target in self._held.keys() - there.keys():
            os.close(self._held.pop(target))
        for target in there.keys() - self._held.keys():
            with contextlib.suppress(OSError):
                self._held[target] = os.open(
                    f"/proc/{self._pid}/fd/{there[target]}", os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC
                )

    def take(self) -> bytes:
        """What nobody read, once the program has ended. The pipes are let go of."""
        found = b""
        for fd in self._held.values():
            with contextlib.suppress(OSError):
                while len(found) < _MOST_BYTES and (part := os.read(fd, 1 << 16)):
                    found += part
            os.close(fd)
        self._held.clear()
        return found

    def _own_pipe(self, number: int) -> str | None:
        target = self._target(number)
        return target if target.startswith("pipe:") and target not in self._given.values() else None

    def _target(self, number: int) -> str:
        try:
            return os.readlink(f"/proc/{self._pid}/fd/{number}")
        except OSError:
            return ""
