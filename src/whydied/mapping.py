"""A shared mapping of a file that holds no file descriptor; runs in every process of ours.

`mmap.mmap` keeps a duplicate of the descriptor before Python 3.13. In a program that closes all descriptors and opens
others, closing such a mapping would close a file of the user's, so there the mapping is made by the C library itself.
"""

from __future__ import annotations

import mmap
import os
import sys


class Mapping:
    """`view` is writable memory behind which the file stands, until `close`."""

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
