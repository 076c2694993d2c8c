"""The resident memory of this very process; runs in the user's process, many times a second.

What always holds: no descriptor stays open, and the interpreter lock is not given up: each of `os.open`, `os.read` and
`os.close` would, and wait for it again behind a busy program. So this is for that one file of the kernel's, which
never makes anybody wait; a file on a disk or on the network may.
"""

from __future__ import annotations

import os
from typing import Any

_PAGE = os.sysconf("SC_PAGE_SIZE")
_libc: Any = None
_buffer: Any = None
FIRST_PID = os.getpid()
"""The process that the recorder began in; this module is loaded at its start. A fork has another."""


def rss_bytes() -> int | None:
    """Resident bytes, or None where the system does not tell."""
    text = _read(b"/proc/self/statm")
    fields = text.split() if text else ()
    return int(fields[1]) * _PAGE if len(fields) > 1 else None


def _load() -> None:
    global _libc, _buffer
    if _libc is None:
        import ctypes

        _buffer = ctypes.create_string_buffer(8192)
        _libc = ctypes.PyDLL(None, use_errno=False)
        _libc.read.restype = ctypes.c_ssize_t
        _libc.read.argtypes = [ctypes.c_int, ctypes.c_void_p, ctypes.c_size_t]


def _read(path: bytes) -> bytes | None:
    _load()
    fd = _libc.open(path, os.O_RDONLY | os.O_CLOEXEC)
    if fd < 0:
        return None
    size = _libc.read(fd, _buffer, 8192)
    _libc.close(fd)
    return bytes(memoryview(_buffer)[:size]) if size > 0 else None
