"""From the registers and the stack of a thread that crashed to the places it was in, innermost first, with the names of
their functions as the source writes them. Pure but for the files of the libraries, which are read.

Invariant: only memory that the dump has is looked at, so that a damaged stack ends the walk and nothing else.

Names of C++ are taken apart by the C++ runtime of the system where there is one; else the part that says most is read
from them here.
"""

from __future__ import annotations

import functools
import re
import struct
from functools import partial
from typing import Any, NamedTuple

from whydied.native.crash_dump import PROGRAM_COUNTER, STACK_POINTER, Dump, Mapping
from whydied.native.elf import ElfFile, NotElf
from whydied.native.frame_table import NoValue, Row, Unreadable, Where, evaluate, row_at

MOST_FRAMES = 64
_WORD = struct.Struct("<Q")
_NESTED = re.compile(r"_ZN[KVrO]*(?P<names>\d.*)")
_LENGTH = re.compile(r"\d+")
# Parts and copies that the compiler made of one function.
_COPIES = re.compile(r"\.(?:localalias|part|cold|constprop|isra|lto_priv|llvm)\b(?:\.\d+)*")
_LONGEST_NAME = 2000


class Place(NamedTuple):
    """Where a frame was. `address` is as the file counts, None where no file is mapped there; it is that of the call,
    or of the very instruction for the innermost frame."""

    mapping: Mapping | None
    address: int | None


class Libraries:
    """The files that a process had mapped, each opened once."""

    def __init__(self) -> None:
        self._open: dict[str, ElfFile | None] = {}

    def __enter__(self) -> Libraries:
        return self

    def __exit__(self, *_: object) -> None:
        for file in self._open.values():
            if file is not None:
                file.close()

    def of(self, mapping: Mapping | None) -> ElfFile | None:
        if mapping is None or mapping.deleted or not mapping.path.startswith("/"):
            return None
        if mapping.path not in self._open:
            try:
                self._open[mapping.path] = ElfFile(mapping.path)
            except NotElf:
                self._open[mapping.path] = None
        return self._open[mapping.path]


def walk(dump: Dump, libraries: Libraries) -> list[Place]:
    """The places of the thread that crashed. The first is where the processor was."""
    registers = list(dump.registers)
    places: list[Place] = []
    while len(places) < MOST_FRAMES:
        place = _place(dump, libraries, registers[PROGRAM_COUNTER], called=bool(places))
        if places and (place.mapping is None or not place.mapping.executable):
            break
        places.append(place)
        before = registers[STACK_POINTER]
        outer = _outer(dump, libraries, registers, place, first=len(places) == 1)
        # A stack only ever grows shorter on the way out.
        if outer is None or outer[STACK_POINTER] <= before or outer[PROGRAM_COUNTER] == 0:
            break
        registers = outer
    return places


def _place(dump: Dump, libraries: Libraries, counter: int, called: bool) -> Place:
    # A call that never returns may be a function's last instruction, and the address behind it the next function's.
    asked = counter - 1 if called else counter
    mapping = dump.mapping(asked)
    file = libraries.of(mapping)
    if file is None or mapping is None:
        return Place(mapping, None)
    return Place(mapping, file.address_of(asked - mapping.start + mapping.offset))


def _outer(dump: Dump, libraries: Libraries, registers: list[int], place: Place, first: bool) -> list[int] | None:
    """The registers as the caller had them; None where the walk ends."""
    file = libraries.of(place.mapping)
    if file is not None and place.address is not None:
        try:
            return _apply(dump, registers, row_at(file, place.address))
        except (Unreadable, NoValue):
            pass
    if not first:
        return None
    # A jump to a bad address, or code that the program made itself, stands where the call has just put its return.
    back = _word(dump, registers[STACK_POINTER])
    mapping = dump.mapping(back - 1) if back else None
    if back is None or mapping is None or not mapping.executable:
        return None
    outer = list(registers)
    outer[STACK_POINTER] += 8
    outer[PROGRAM_COUNTER] = back
    return outer


def _apply(dump: Dump, registers: list[int], row: Row) -> list[int] | None:
    if row.code:
        frame = evaluate(row.code, registers, partial(_word, dump))
    else:
        frame = registers[row.register] + row.offset
    outer = list(registers)
    outer[STACK_POINTER] = frame
    for register, where in row.registers.items():
        if register >= len(outer):
            continue
        value = _saved(where, frame, registers, dump)
        if value is None:
            if register == row.return_register:
                return None
            value = 0
        outer[register] = value
    return outer


def _saved(where: Where, frame: int, registers: list[int], dump: Dump) -> int | None:
    if where.kind == "offset":
        return _word(dump, frame + where.number)
    if where.kind == "value":
        return frame + where.number
    if where.kind == "register":
        return registers[where.number] if where.number < len(registers) else None
    if where.kind not in ("expression", "value expression"):
        return None
    value = evaluate(where.code, registers, partial(_word, dump), frame)
    return _word(dump, value) if where.kind == "expression" else value


def _word(dump: Dump, address: int) -> int | None:
    at = address - dump.stack_pointer
    if not 0 <= at <= len(dump.stack) - 8:
        return None
    value: int = _WORD.unpack_from(dump.stack, at)[0]
    return value


def functions_of(places: list[Place], libraries: Libraries) -> list[str]:
    """The function of each place; empty where the file does not tell."""
    wanted: dict[str, set[int]] = {}
    for place in places:
        if place.mapping is not None and place.address is not None:
            wanted.setdefault(place.mapping.path, set()).add(place.address)
    found: dict[tuple[str, int], str] = {}
    for place in places:
        path = place.mapping.path if place.mapping else ""
        file = libraries.of(place.mapping)
        if path in wanted and file is not None:
            for address, symbol in file.functions(wanted.pop(path)).items():
                found[path, address] = readable(symbol.name)
    return [found.get((place.mapping.path if place.mapping else "", place.address or -1), "") for place in places]


def readable(name: str) -> str:
    """`tensorflow::BiasOp::Compute` for `_ZN10tensorflow6BiasOp7ComputeEPNS_15OpKernelContextE`; what is in brackets
    goes, because a line of code names a function without it."""
    name = _COPIES.sub("", name.partition("@")[0])
    if not name.startswith("_Z"):
        return name
    whole = _demangled(name[:_LONGEST_NAME]) or _plain(name)
    return _bare(whole)


def _bare(name: str) -> str:
    """Without arguments, types of arguments and the type that comes back."""
    text = name.replace("(anonymous namespace)", "<unnamed>")
    kept: list[str] = []
    depth = 0
    for at, letter in enumerate(text):
        if letter == "<" and not text.startswith("<unnamed>", at) and text[max(0, at - 8) : at] != "operator":
            depth += 1
        if letter == "(" and depth == 0:
            break
        if depth == 0:
            kept.append(letter)
        # The arrow of `operator->` and the sign of `>=` close nothing.
        if letter == ">" and depth and text[at - 1] != "-":
            depth -= 1
    return "".join(kept).strip().rpartition(" ")[2] if "operator" not in text else "".join(kept).strip()


def _plain(name: str) -> str:
    """The names of a nested name, without the runtime: `_ZN1a1bEv` is `a::b`."""
    found = _NESTED.match(name)
    rest = found["names"] if found else name[2:]
    parts: list[str] = []
    while length := _LENGTH.match(rest):
        size = int(length[0])
        parts.append(rest[length.end() : length.end() + size])
        rest = rest[length.end() + size :]
    return "::".join(part for part in parts if not part.startswith("_GLOBAL__N")) or name


@functools.cache
def _runtime() -> Any:
    import ctypes

    for library in ("libstdc++.so.6", "libc++abi.so.1"):
        try:
            loaded = ctypes.CDLL(library)
            function = loaded.__cxa_demangle
        except (OSError, AttributeError):
            continue
        function.restype = ctypes.c_void_p
        function.argtypes = [ctypes.c_char_p, ctypes.c_void_p, ctypes.c_void_p, ctypes.POINTER(ctypes.c_int)]
        return function
    return None


def _demangled(name: str) -> str | None:
    import ctypes

    function = _runtime()
    if function is None:
        return None
    status = ctypes.c_int(-1)
    # The text is the runtime's; it is not given back, because a wrong `free` would cost more than these bytes.
    pointer = function(name.encode(), None, None, ctypes.byref(status))
    if status.value != 0 or not pointer:
        return None
    return ctypes.string_at(pointer).decode("utf-8", "replace")
