"""From the registers and the stack of a thread that crashed to the places it was in, innermost first. Pure but for the
files of the libraries, which are read.

Invariant: only memory that the dump has is looked at, so that a damaged stack ends the walk and nothing else.
"""

from __future__ import annotations

import struct
from functools import partial
from typing import NamedTuple

from whydied.native.crash_dump import PROGRAM_COUNTER, STACK_POINTER, Dump, Mapping
from whydied.native.elf import ElfFile, NotElf
from whydied.native.frame_table import NoValue, Row, Unreadable, Where, evaluate, row_at

MOST_FRAMES = 64
_WORD = struct.Struct("<Q")


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
