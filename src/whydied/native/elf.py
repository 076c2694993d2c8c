"""A library or program as its file has it: where its parts are in memory, its unwinding tables, its names.

Runs in the parent, after the program's end. Reads through a map of the file, so that of a large library only the
pages that are asked for are read.

Invariant: only 64-bit little-endian ELF is read; a torn or foreign file raises NotElf and nothing else.
"""

from __future__ import annotations

import mmap
import os
import struct
from collections.abc import Iterable, Iterator
from typing import NamedTuple

_LOAD, _DYNAMIC, _EH_FRAME = 1, 2, 0x6474E550
_STRINGS, _RPATH, _RUNPATH = 5, 15, 29
_SYMTAB, _DYNSYM = 2, 11
_FUNCTION, _INDIRECT = 2, 10
_PROGRAM = struct.Struct("<IIQQQQQQ")
_SECTION = struct.Struct("<IIQQQQIIQQ")
_SYMBOL = struct.Struct("<IBBHQQ")
_CHUNK = 1 << 16


class NotElf(Exception):
    """The file is not what it should be, or is not there."""


class Segment(NamedTuple):
    offset: int
    address: int
    size: int


class Symbol(NamedTuple):
    """A function. `name` is as the linker knows it; `into` is how far behind its start the asked address is."""

    name: str
    into: int


class ElfFile:
    """An open file; `close` it, or use it in a `with`."""

    def __init__(self, path: str) -> None:
        try:
            descriptor = os.open(path, os.O_RDONLY | os.O_CLOEXEC | os.O_NONBLOCK)
            try:
                self.data = mmap.mmap(descriptor, 0, access=mmap.ACCESS_READ)
            finally:
                os.close(descriptor)
        except (OSError, ValueError) as error:
            raise NotElf(str(error)) from error
        try:
            if self.data[:6] != b"\x7fELF\x02\x01":
                raise NotElf(f"{path} is not a 64-bit ELF file")
            self._sections_at, self._section_bytes, self._section_count = self._headers()
            self.segments: list[Segment] = []
            self.eh_frame: int | None = None
            """The address of the index of the unwinding tables."""
            self._dynamic: Segment | None = None
            self._read_programs()
        except (struct.error, IndexError, ValueError, OverflowError) as error:
            self.close()
            raise NotElf(f"{path} is truncated") from error
        except NotElf:
            self.close()
            raise

    def __enter__(self) -> ElfFile:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        self.data.close()

    def address_of(self, offset: int) -> int | None:
        """The address, as the file counts, of a place in the file."""
        for one in self.segments:
            if one.offset <= offset < one.offset + one.size:
                return offset - one.offset + one.address
        return None

    def offset_of(self, address: int) -> int | None:
        for one in self.segments:
            if one.address <= address < one.address + one.size:
                return address - one.address + one.offset
        return None

    def search_path(self) -> str:
        """Where the file asks for its libraries: its RUNPATH, or the older RPATH, as it is written; else empty."""
        dynamic = self._dynamic
        if dynamic is None:
            return ""
        try:
            entries = dict(
                struct.iter_unpack("<QQ", self.data[dynamic.offset : dynamic.offset + dynamic.size // 16 * 16])
            )
            place = entries.get(_RUNPATH, entries.get(_RPATH))
            strings = self.offset_of(entries.get(_STRINGS, 0))
            return self._text(strings + place) if place is not None and strings is not None else ""
        except (struct.error, IndexError, ValueError, OverflowError):
            return ""

    def functions(self, addresses: Iterable[int]) -> dict[int, Symbol]:
        """The functions that these addresses are in. What the linker kept for itself only is looked at last."""
        found: dict[int, Symbol] = {}
        wanted = set(addresses)
        for kind in (_SYMTAB, _DYNSYM):
            missing = wanted - set(found)
            if missing:
                try:
                    found |= self._scan(kind, sorted(missing))
                except (struct.error, IndexError, ValueError, OverflowError):
                    # A damaged table has no names.
                    continue
        return found

    def _scan(self, kind: int, wanted: list[int]) -> dict[int, Symbol]:
        found: dict[int, Symbol] = {}
        low, high = wanted[0], wanted[-1]
        for offset, size, names in self._tables(kind):
            for name, info, value, length in self._symbols(offset, size):
                if value > high or value + length <= low or info & 0xF not in (_FUNCTION, _INDIRECT):
                    continue
                for address in wanted:
                    if value <= address < value + length and address not in found:
                        found[address] = Symbol(self._text(names + name), address - value)
        return found

    def _symbols(self, offset: int, size: int) -> Iterator[tuple[int, int, int, int]]:
        step = _CHUNK * _SYMBOL.size
        for at in range(offset, offset + size - size % _SYMBOL.size, step):
            part = self.data[at : min(at + step, offset + size - size % _SYMBOL.size)]
            if not part or len(part) % _SYMBOL.size:
                return
            for name, info, _, _, value, length in _SYMBOL.iter_unpack(part):
                yield name, info, value, length

    def _tables(self, kind: int) -> Iterator[tuple[int, int, int]]:
        """The symbol tables of a kind: place, size, and the place of their names."""
        sections = [
            _SECTION.unpack_from(self.data, self._sections_at + number * self._section_bytes)
            for number in range(self._section_count)
        ]
        for section in sections:
            if section[1] == kind and section[6] < len(sections):
                yield section[4], section[5], sections[section[6]][4]

    def _text(self, at: int) -> str:
        end = self.data.find(b"\0", at, at + 4096)
        return self.data[at : end if end >= 0 else at].decode("utf-8", "replace")

    def _headers(self) -> tuple[int, int, int]:
        (at,) = struct.unpack_from("<Q", self.data, 40)
        size, count = struct.unpack_from("<HH", self.data, 58)
        return at, size, count

    def _read_programs(self) -> None:
        """The parts that are loaded, and where the tables in them are."""
        (start,) = struct.unpack_from("<Q", self.data, 32)
        size, count = struct.unpack_from("<HH", self.data, 54)
        for number in range(count):
            kind, _, offset, address, _, length, _, _ = _PROGRAM.unpack_from(self.data, start + number * size)
            if kind == _LOAD:
                self.segments.append(Segment(offset, address, length))
            elif kind == _DYNAMIC:
                self._dynamic = Segment(offset, address, length)
            elif kind == _EH_FRAME:
                self.eh_frame = address
