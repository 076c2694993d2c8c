"""New lines of the kernel's log that are about this run; runs in the parent and in the watcher.

Invariant: where the log may not be read there are simply no lines, and opening it waits for nothing.
"""

from __future__ import annotations

import contextlib
import errno
import os
from collections.abc import Collection, Iterator

from whydied.records import KernelLogged
from whydied.run.observe.gpu import is_device_fault
from whydied.texts import kernel_lines as texts

_LARGEST_LINE_BYTES = 8192
_MOST_LINES = 100_000


class KernelLog:
    """Remembers the end of the log when it is made."""

    def __init__(self, path: str = "/dev/kmsg") -> None:
        self._fd: int | None = None
        with contextlib.suppress(OSError):
            self._fd = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
            os.lseek(self._fd, 0, os.SEEK_END)

    @property
    def readable(self) -> bool:
        return self._fd is not None

    def about(self, pids: Collection[int], group_path: str | None = None) -> list[KernelLogged]:
        """The lines since then that name one of these processes, or the group. May be asked once."""
        lines = map(message, _entries(self._fd)) if self._fd is not None else ()
        return [KernelLogged(line=line) for line in lines if concerns(line, pids, group_path)]

    def close(self) -> None:
        if self._fd is not None:
            os.close(self._fd)
            self._fd = None


def past_lines(pids: Collection[int], since_us: int, path: str = "/dev/kmsg") -> list[str]:
    """Lines about these processes that were logged after a moment of this boot, as far as the log still has them."""
    try:
        fd = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
    except OSError:
        return []
    try:
        lines = [message(entry) for entry in _entries(fd) if _logged_us(entry) >= since_us]
    finally:
        os.close(fd)
    return [line for line in lines if concerns(line, pids)]


def _entries(fd: int) -> Iterator[bytes]:
    """What an open log has from where it was read last."""
    for _ in range(_MOST_LINES):
        try:
            entry = os.read(fd, _LARGEST_LINE_BYTES)
        except OSError as error:
            # EPIPE: the ring buffer overwrote what we had not read yet; the next read goes on after the gap.
            if error.errno == errno.EPIPE:
                continue
            return
        if not entry:
            return
        yield entry


def _logged_us(entry: bytes) -> int:
    fields = entry.split(b";", 1)[0].split(b",")
    return int(fields[2]) if len(fields) > 2 and fields[2].isdigit() else 0


def message(entry: bytes) -> str:
    """The text of an entry "priority,number,microseconds,flags;text" without its tagged lines."""
    _, _, text = entry.decode("utf-8", "replace").partition(";")
    return text.split("\n", 1)[0]


def concerns(line: str, pids: Collection[int], group_path: str | None = None) -> bool:
    if is_device_fault(line):
        return True
    if not texts.ABOUT_A_DEATH.search(line):
        return False
    if group_path and os.path.basename(group_path) in line:
        return True
    # "Killed process 12 (python)", "python[12]: segfault at", "oom-kill:…,task=python,pid=12,uid=0".
    named = texts.PROCESS.pattern.finditer(line)
    return any(int(number) in pids for found in named for number in found.groups() if number)
