"""The resident memory of this very process; runs in the user's process, many times a second.

Invariant: nothing is opened while the program runs (see `held_files`), and the interpreter lock is not given
up: `os.pread` would, and wait for it again behind a busy program. So this is for that one file of the kernel's, which
never makes anybody wait; a file on a disk or on the network may.
"""

from __future__ import annotations

import os
from typing import Any

from whydied.inside.process.held_files import HeldFile

_PAGE = os.sysconf("SC_PAGE_SIZE")
_FIELDS = 7
_pread: Any = None
_buffer: Any = None
_statm: HeldFile | None = None
FIRST_PID = os.getpid()
"""The process that the recorder began in; this module is loaded at its start. A fork has another."""
_pid = 0


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
