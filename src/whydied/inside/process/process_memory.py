"""The resident memory of this very process, and how much it may still take; runs in the user's process, many times a
second, the second once.

Invariant: nothing is opened while the program runs (see `held_files`), and the interpreter lock is not given up:
`os.pread` would, and wait for it again behind a busy program. So this is for that one file of the kernel's, which never
makes anybody wait; a file on a disk or on the network may. Of what may still be taken, the smallest of three rooms
counts: under the limit that the supervisor tells (`WHYDIED_MEMORY_LIMIT`), in each control group that has a limit, on
the machine.
"""

from __future__ import annotations

import os
from typing import Any

from whydied.inside.process.held_files import HeldFile
from whydied.linux import cgroup, proc

_PAGE = os.sysconf("SC_PAGE_SIZE")
_FIELDS = 7
_pread: Any = None
_buffer: Any = None
_statm: HeldFile | None = None
FIRST_PID = os.getpid()
"""The process that the recorder began in; this module is loaded at its start. A fork has another."""
_pid = 0
ENV_LIMIT = "WHYDIED_MEMORY_LIMIT"


def begin() -> None:
    """Open the file of this process; again in a fork, whose file is another one, and where the program closed ours."""
    global _pread, _buffer, _statm, _pid
    if _pread is None:
        import ctypes

        _buffer = ctypes.create_string_buffer(256)
        _pread = ctypes.PyDLL(None, use_errno=False).pread
        _pread.restype = ctypes.c_ssize_t
        _pread.argtypes = [ctypes.c_int, ctypes.c_void_p, ctypes.c_size_t, ctypes.c_long]
    if _statm is not None:
        _statm.close()
    _statm, _pid = HeldFile("/proc/self/statm"), os.getpid()


def is_lost() -> bool:
    return _statm is not None and _statm.is_lost()


def rss_bytes() -> int | None:
    """Resident bytes, or None where the system does not tell."""
    fields = _read()
    return fields[1] * _PAGE if fields else None


def virtual_bytes() -> int | None:
    """The bytes that RLIMIT_AS counts, or None."""
    fields = _read()
    return fields[0] * _PAGE if fields else None


def data_bytes() -> int | None:
    """The bytes that RLIMIT_DATA counts, or None."""
    fields = _read()
    return fields[5] * _PAGE if fields else None


def _read() -> list[int] | None:
    if _statm is None or _pid != os.getpid():
        begin()
    assert _statm is not None
    size = _pread(_statm.descriptor, _buffer, 256, 0) if _statm.descriptor >= 0 else 0
    fields = bytes(memoryview(_buffer)[:size]).split() if size > 0 else []
    # Else a file of the program's has the number now: `is_lost` is asked once a second.
    return [*map(int, fields)] if len(fields) == _FIELDS and all(map(bytes.isdigit, fields)) else None


class MemoryLimit:
    """With `keeps_open`, what changes is read from files that stay open: see `held_files`."""

    def __init__(self, root: str = "/", keeps_open: bool = False) -> None:
        self._root = root
        self._held: dict[str, HeldFile] | None = {} if keeps_open else None
        self._told = proc.as_int(os.environ.get(ENV_LIMIT, "").encode())
        own = cgroup.group_for("memory", root)
        self._groups = [group for group in own.upwards() if group.limit_bytes() is not None] if own else []
        if keeps_open:
            self.room_bytes(0)

    def reopen(self) -> None:
        """Open again what the program closed."""
        for file in (self._held or {}).values():
            if file.is_lost():
                file.open()

    def is_lost(self) -> bool:
        return any(file.is_lost() for file in (self._held or {}).values())

    def room_bytes(self, rss_bytes: int) -> int | None:
        """What is left, or None where nothing tells."""
        rooms = [group.room_bytes(self._read) for group in self._groups]
        rooms.append(self._told - rss_bytes if self._told is not None else None)
        rooms.append(proc.field_bytes(self._read(f"{self._root}proc/meminfo"), b"MemAvailable"))
        return max(0, min(known)) if (known := [room for room in rooms if room is not None]) else None

    def _read(self, path: str) -> bytes | None:
        if self._held is None:
            return proc.read(path)
        if path not in self._held:
            self._held[path] = HeldFile(path)
        return self._held[path].read()
