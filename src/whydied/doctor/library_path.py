"""The search path that a shared library carries for the libraries it loads. Runs in the parent; reads a few kilobytes
of the file, and loads nothing.

What always holds: a file that is no 64-bit little-endian ELF, or a torn one, has no search path; nothing raises.
"""

from __future__ import annotations

import mmap
import struct
from collections.abc import Iterator
from pathlib import Path

_LOADED, _DYNAMIC = 1, 2
_STRINGS, _RPATH, _RUNPATH = 5, 15, 29


def search_path(library: Path) -> list[Path]:
    """The directories of RUNPATH, or of the older RPATH, with $ORIGIN filled in."""
    try:
        with library.open("rb") as file, mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as data:
            text = _text(data)
    except (OSError, ValueError, OverflowError, struct.error, IndexError):
        return []
    origin = str(library.parent)
    entries = [entry.replace("${ORIGIN}", origin).replace("$ORIGIN", origin) for entry in text.split(":") if entry]
    return [Path(entry) for entry in entries]


def _text(data: mmap.mmap) -> str:
    if data[:6] != b"\x7fELF\x02\x01":
        return ""
    (start,) = struct.unpack_from("<Q", data, 32)
    size, count = struct.unpack_from("<HH", data, 54)
    headers = [struct.unpack_from("<IIQQQQ", data, start + number * size) for number in range(count)]
    dynamic = next((header for header in headers if header[0] == _DYNAMIC), None)
    if dynamic is None:
        return ""
    entries = dict(_entries(data, dynamic[2], dynamic[5]))
    place = entries.get(_RUNPATH, entries.get(_RPATH))
    if place is None or _STRINGS not in entries:
        return ""
    strings = entries[_STRINGS]
    for kind, _, offset, address, _, length in headers:
        if kind == _LOADED and address <= strings < address + length:
            at = offset + strings - address + place
            return data[at : data.find(b"\0", at)].decode("utf-8", "replace")
    return ""


def _entries(data: mmap.mmap, offset: int, length: int) -> Iterator[tuple[int, int]]:
    for at in range(offset, offset + length, 16):
        tag, value = struct.unpack_from("<QQ", data, at)
        if tag == 0:
            return
        yield tag, value
