"""Writes a stream of records through shared mappings; runs in the parent and in the user's processes.

Invariant: a record is in the page cache when `write` returns, so SIGKILL cannot take it; the files of
a stream are bounded; no file descriptor stays open, so a program that closes them all takes nothing from us;
space on the disk is reserved before it is mapped, because a write into a mapping that has no block behind it
is SIGBUS in the user's program. Nothing here syncs: the parent does that by path, so that a slow disk never
stops the user's threads.
"""

from __future__ import annotations

import contextlib
import mmap
import os
import sys
import threading
import time
from collections.abc import Callable
from pathlib import Path

from whydied import wire
from whydied.records import Record

SEGMENT_BYTES = 256 * 1024
FIRST_BYTES = 16 * 1024
"""The first segment of a lane: a program may start tens of thousands of processes that never need a second one."""
KEEP_FIRST = 4
KEEP_LAST = 12
LARGEST_RECORD_BYTES = 64 * 1024
Opening = Callable[[], contextlib.AbstractContextManager[None]]


class Mapping:
    """A shared mapping of a file that holds no file descriptor. `view` is writable memory behind which the file stands,
    until `close`.

    `mmap.mmap` keeps a duplicate of the descriptor before Python 3.13. In a program that closes all descriptors and
    opens others, closing such a mapping would close a file of the user's, so there the mapping is made by the C library
    itself.
    """

    def __init__(self, fd: int, size: int) -> None:
        self.size = size
        if sys.version_info >= (3, 13):
            self._map = mmap.mmap(fd, size, trackfd=False)
            self.view = memoryview(self._map)
        else:
            self._address = _map(fd, size)
            self.view = _view(self._address, size)

    def close(self) -> None:
        self.view.release()
        if sys.version_info >= (3, 13):
            self._map.close()
        else:
            _unmap(self._address, self.size)


if sys.version_info < (3, 13):
    import ctypes

    _libc = ctypes.CDLL(None, use_errno=True)
    _libc.mmap.restype = ctypes.c_void_p
    _libc.mmap.argtypes = [
        ctypes.c_void_p,
        ctypes.c_size_t,
        ctypes.c_int,
        ctypes.c_int,
        ctypes.c_int,
        ctypes.c_long,
    ]
    _libc.munmap.argtypes = [ctypes.c_void_p, ctypes.c_size_t]
    _FAILED = ctypes.c_void_p(-1).value

    def _map(fd: int, size: int) -> int:
        address = _libc.mmap(None, size, mmap.PROT_READ | mmap.PROT_WRITE, mmap.MAP_SHARED, fd, 0)
        if address is None or address == _FAILED:
            number = ctypes.get_errno()
            raise OSError(number, os.strerror(number))
        return int(address)

    def _view(address: int, size: int) -> memoryview:
        return memoryview((ctypes.c_char * size).from_address(address)).cast("B")

    def _unmap(address: int, size: int) -> None:
        _libc.munmap(address, size)


class Lane:
    """A row of segments of which the first and the last few are kept."""

    def __init__(self, stem: str, segment_bytes: int, keep_first: int, keep_last: int, opening: Opening) -> None:
        self._stem = stem
        self._opening = opening
        self._segment_bytes = segment_bytes
        self._keep_first = keep_first
        self._keep_last = keep_last
        self._number = -1
        self._map: Mapping | None = None
        self._offset = 0

    def append(self, frame: bytes) -> None:
        if self._map is None or self._offset + len(frame) > self._map.size:
            self._rotate(len(frame))
        assert self._map is not None
        # One copy, then the offset: an interruption between the two loses this record and harms no other.
        self._map.view[self._offset : self._offset + len(frame)] = frame
        self._offset += len(frame)

    def _rotate(self, wanted: int) -> None:
        number = self._number + 1
        usual = self._segment_bytes if number else min(FIRST_BYTES, self._segment_bytes)
        size = max(usual, wire.HEADER_BYTES + wanted)
        with self._opening():
            fresh = self._mapped(number, size)
        fresh.view[: wire.HEADER_BYTES] = wire.header(number, os.getpid(), time.monotonic_ns())
        if self._map is not None:
            self._map.close()
        self._map, self._offset, self._number = fresh, wire.HEADER_BYTES, number
        expired = number - self._keep_last
        if expired >= self._keep_first:
            with contextlib.suppress(OSError):
                os.unlink(self._path(expired))

    def _mapped(self, number: int, size: int) -> Mapping:
        fd = os.open(self._path(number), os.O_RDWR | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600)
        try:
            _reserve(fd, size)
            return Mapping(fd, size)
        except BaseException:
            with contextlib.suppress(OSError):
                os.unlink(self._path(number))
            raise
        finally:
            os.close(fd)

    def _path(self, number: int) -> str:
        return f"{self._stem}.{number:06}.rec"


def _reserve(fd: int, size: int) -> None:
    if hasattr(os, "posix_fallocate"):
        os.posix_fallocate(fd, 0, size)
    else:
        os.write(fd, bytes(size))


class Stream:
    """The records of one process. Any thread may write; a fork must make its own. `opening` surrounds the moment in
    which a file is open."""

    def __init__(
        self,
        directory: Path,
        name: str,
        *,
        segment_bytes: int = SEGMENT_BYTES,
        keep_first: int = KEEP_FIRST,
        keep_last: int = KEEP_LAST,
        opening: Opening = contextlib.nullcontext,
    ) -> None:
        stem = os.path.join(os.fspath(directory), name)
        self.name = name
        self._key = Lane(f"{stem}.key", segment_bytes, keep_first, keep_last, opening)
        self._log = Lane(f"{stem}.log", segment_bytes, keep_first, keep_last, opening)
        self._lock = threading.RLock()
        self._number = 0

    def write(self, record: Record) -> None:
        """Append a record. Raises OSError where the disk has no room; the stream stays usable."""
        lane = self._key if record.IMPORTANT else self._log
        with self._lock:
            frame = wire.frame(time.monotonic_ns(), self._number, record)
            if len(frame) > LARGEST_RECORD_BYTES:
                raise ValueError(f"a {type(record).__name__} of {len(frame)} bytes is above {LARGEST_RECORD_BYTES}")
            lane.append(frame)
            self._number += 1
