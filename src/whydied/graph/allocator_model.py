"""A model of TensorFlow's CPU allocator (oneDNN): what a step's buffers count for. Pure.

Small requests go elsewhere and do not count. The others are rounded to 256 bytes and take the smallest free
chunk that is large enough; a chunk is split only when it is twice the request or has 128 MiB to spare, so a
buffer can count for nearly twice its size. Regions begin at 2 MiB and double. Freed neighbours are joined.
"""

from __future__ import annotations

import bisect
from collections.abc import Iterable

COUNTED_BYTES = 256 << 10
_ALIGN = 256
_SPARE = 128 << 20
_FIRST_REGION = 2 << 20
_APART = 1 << 50
"""Regions are never neighbours."""


class Allocator:
    """`used_bytes` counts chunks in use."""

    def __init__(self) -> None:
        self.used_bytes = 0
        self._free: list[tuple[int, int]] = []
        self._starts: dict[int, int] = {}
        self._ends: dict[int, int] = {}
        self._sizes: dict[int, int] = {}
        self._region = _FIRST_REGION
        self._next = 0
        self._touched: list[tuple[int, int]] = []
        self._untouched_from = 0
        self.touched_bytes = 0
        """Of the memory that was not there at the start, what buffers have been in."""

    @classmethod
    def restored(cls, free: Iterable[tuple[int, int]], next_region_bytes: int) -> Allocator:
        """One that has these free chunks, by address and size, and asks for so large a region next. What is in use is
        not known to it until it is told by `holds`."""
        found = cls()
        for address, size in free:
            found._put(address, size)
            found._next = max(found._next, address + size)
        found._region = next_region_bytes or _FIRST_REGION
        found._next += _APART
        found._untouched_from = found._next
        return found

    def holds(self, address: int, size_bytes: int, most: int) -> None:
        """There is a buffer already, of a chunk that ends at the latest at an address, where the next begins."""
        wanted = -(-size_bytes // _ALIGN) * _ALIGN
        limit = min((start for start in self._starts if start > address), default=most)
        room = min(limit, most) - address
        # A chunk is split where it is twice the request: with more room than that, something unknown lies behind.
        size = room if wanted <= room < 2 * wanted else wanted
        self._sizes[address] = size
        self.used_bytes += size

    def take(self, size_bytes: int) -> int:
        """The address of a buffer; -1 where the request is too small to count."""
        if size_bytes < COUNTED_BYTES:
            return -1
        wanted = -(-size_bytes // _ALIGN) * _ALIGN
        at = bisect.bisect_left(self._free, (wanted, -1))
        if at == len(self._free):
            self._extend(wanted)
            at = bisect.bisect_left(self._free, (wanted, -1))
        size, address = self._free.pop(at)
        del self._starts[address], self._ends[address + size]
        if size >= 2 * wanted or size - wanted >= _SPARE:
            self._put(address + wanted, size - wanted)
            size = wanted
        self._sizes[address] = size
        self.used_bytes += size
        if address >= self._untouched_from:
            self._touch(address, address + size_bytes)
        return address

    def give_back(self, address: int) -> None:
        if address < 0:
            return
        size = self._sizes.pop(address)
        self.used_bytes -= size
        before = self._ends.get(address)
        if before is not None:
            self._drop(address - before, before)
            address, size = address - before, size + before
        after = self._starts.get(address + size)
        if after is not None:
            self._drop(address + size, after)
            size += after
        self._put(address, size)

    def chunk_bytes(self, address: int) -> int:
        """What a buffer counts for."""
        return self._sizes.get(address, 0)

    def _touch(self, first: int, last: int) -> None:
        """Pages are the process's from the first time that they are written."""
        touched = self._touched
        at = bisect.bisect_right(touched, (first, _APART << 8))
        if at and touched[at - 1][1] >= first:
            at -= 1
        end = at
        while end < len(touched) and touched[end][0] <= last:
            first, last = min(first, touched[end][0]), max(last, touched[end][1])
            self.touched_bytes -= touched[end][1] - touched[end][0]
            end += 1
        touched[at:end] = [(first, last)]
        self.touched_bytes += last - first

    def _extend(self, wanted: int) -> None:
        grown = False
        while self._region < wanted:
            self._region *= 2
            grown = True
        size = self._region
        if not grown:
            self._region *= 2
        self._put(self._next, size)
        self._next += size + _APART

    def _put(self, address: int, size: int) -> None:
        bisect.insort(self._free, (size, address))
        self._starts[address] = size
        self._ends[address + size] = size

    def _drop(self, address: int, size: int) -> None:
        del self._free[bisect.bisect_left(self._free, (size, address))]
        del self._starts[address], self._ends[address + size]
