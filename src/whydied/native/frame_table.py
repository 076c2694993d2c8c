"""How to leave a function: the unwinding tables that compilers put into every library (`.eh_frame`). Pure.

The format is that of DWARF's call frame information as the Linux Standard Base describes it. A table tells for each
place in a function where its caller's registers were saved.
"""

from __future__ import annotations

import operator
import struct
from collections.abc import Callable, Sequence
from typing import NamedTuple

from whydied.native.elf import ElfFile

# Encodings of pointers.
_FORMATS = {0x0: "<Q", 0x2: "<H", 0x3: "<I", 0x4: "<Q", 0xA: "<h", 0xB: "<i", 0xC: "<q"}
_RELATIVE, _TO_TABLE, _OMITTED, _INDEX = 0x10, 0x30, 0xFF, 0x3B
_LARGEST_STEPS = 10_000
_LONGEST_NUMBER_BITS = 70
# Of the little stack language in which tables compute an address (DWARF expressions).
_WORD = 0xFFFFFFFFFFFFFFFF
_CONSTANTS = {8: "<B", 9: "<b", 10: "<H", 11: "<h", 12: "<I", 13: "<i", 14: "<Q", 15: "<q", 3: "<Q"}
_TWO: dict[int, Callable[[int, int], int]] = {
    0x1A: operator.and_,
    0x1C: operator.sub,
    0x1E: operator.mul,
    0x21: operator.or_,
    0x22: operator.add,
    0x24: operator.lshift,
    0x25: operator.rshift,
    0x27: operator.xor,
    0x29: operator.eq,
    0x2A: operator.ge,
    0x2B: operator.gt,
    0x2C: operator.le,
    0x2D: operator.lt,
    0x2E: operator.ne,
}


class Unreadable(Exception):
    """The tables say nothing about this address, or not in a way that is known here."""


class Where(NamedTuple):
    """Where a register of the caller is. `kind` is "same", "undefined", "offset" (in memory, from the frame's address),
    "value" (that address itself), "register", "expression" (its address is computed) or "value expression"."""

    kind: str
    number: int = 0
    code: bytes = b""


class Row(NamedTuple):
    """The rules at one place. The frame's address is `register` + `offset`, or what `code` computes."""

    register: int
    offset: int
    code: bytes
    registers: dict[int, Where]
    return_register: int


class _Cursor:
    """Reads values one after another. `address` is where the first byte is in memory."""

    def __init__(self, data: object, at: int, address: int = 0) -> None:
        self.data, self.at, self._address, self._from = data, at, address, at

    @property
    def address(self) -> int:
        return self._address + self.at - self._from

    def number(self, form: str) -> int:
        (value,) = struct.unpack_from(form, self.data, self.at)  # type: ignore[arg-type]
        self.at += struct.calcsize(form)
        return int(value)

    def unsigned(self) -> int:
        return self._variable()[0]

    def signed(self) -> int:
        value, bits, last = self._variable()
        return value - (1 << bits) if last & 0x40 else value

    def _variable(self) -> tuple[int, int, int]:
        """A number of any length: its value, its bits, and its last byte."""
        value = 0
        for shift in range(0, _LONGEST_NUMBER_BITS, 7):
            byte = self.number("<B")
            value |= (byte & 0x7F) << shift
            if not byte & 0x80:
                return value, shift + 7, byte
        raise Unreadable("a number without an end")

    def block(self) -> bytes:
        length = self.unsigned()
        self.at += length
        return bytes(self.data[self.at - length : self.at])  # type: ignore[index]

    def pointer(self, encoding: int, table: int = 0) -> int:
        if encoding == _OMITTED:
            return 0
        here = self.address
        form = encoding & 0x0F
        value = self.unsigned() if form == 1 else self.signed() if form == 9 else self.number(_FORMATS[form])
        base = {0: 0, _RELATIVE: here, _TO_TABLE: table}.get(encoding & 0x70)
        if base is None:
            raise Unreadable(f"pointers of the kind {encoding:#x}")
        return (value + base) & _WORD


class _Common(NamedTuple):
    """What the entries of one compiled unit share."""

    code_step: int
    data_step: int
    return_register: int
    encoding: int
    augmented: bool
    program: bytes


def row_at(file: ElfFile, address: int) -> Row:
    """The rules at an address, as the file counts addresses. Raises Unreadable."""
    try:
        entry = _entry(file, address)
        cursor, end = _begin(file, entry)
        place = cursor.at
        common = _common(file, place - cursor.number("<I"))
        start = cursor.pointer(common.encoding)
        length = cursor.pointer(common.encoding & 0x0F)
        if not start <= address < start + length:
            raise Unreadable("no function is there")
        if common.augmented:
            cursor.block()
        program = file.data[cursor.at : end]
        return _Machine(common).run(start, address, program)
    except (struct.error, KeyError, IndexError, ValueError, OverflowError) as error:
        raise Unreadable(repr(error)) from error


def _entry(file: ElfFile, address: int) -> int:
    """The place in the file of the entry for an address, by the sorted index."""
    if file.eh_frame is None or (at := file.offset_of(file.eh_frame)) is None:
        raise Unreadable("the file has no unwinding tables")
    version, frame_encoding, count_encoding, table_encoding = file.data[at : at + 4]
    if version != 1 or table_encoding != _INDEX:
        raise Unreadable("the index of the tables is of another kind")
    cursor = _Cursor(file.data, at + 4, file.eh_frame + 4)
    cursor.pointer(frame_encoding, file.eh_frame)
    count = cursor.pointer(count_encoding, file.eh_frame)
    first, wanted = cursor.at, address - file.eh_frame
    low, high = 0, count
    while low < high:
        middle = (low + high) // 2
        (start,) = struct.unpack_from("<i", file.data, first + 8 * middle)
        if start <= wanted:
            low = middle + 1
        else:
            high = middle
    if low == 0:
        raise Unreadable("no function is there")
    (offset,) = struct.unpack_from("<i", file.data, first + 8 * (low - 1) + 4)
    found = file.offset_of(file.eh_frame + offset)
    if found is None:
        raise Unreadable("the index points nowhere")
    return found


def _begin(file: ElfFile, at: int) -> tuple[_Cursor, int]:
    """Behind the length of an entry, and where it ends."""
    cursor = _Cursor(file.data, at, file.address_of(at) or 0)
    length = cursor.number("<I")
    if length == 0xFFFFFFFF:
        length = cursor.number("<Q")
    return cursor, cursor.at + length


def _common(file: ElfFile, at: int) -> _Common:
    cursor, end = _begin(file, at)
    cursor.number("<I")
    version = cursor.number("<B")
    stop = file.data.find(b"\0", cursor.at)
    words = file.data[cursor.at : stop].decode("ascii", "replace")
    cursor.at = stop + 1
    code_step, data_step = cursor.unsigned(), cursor.signed()
    return_register = cursor.number("<B") if version == 1 else cursor.unsigned()
    encoding = 0
    if words.startswith("z"):
        behind = cursor.unsigned() + cursor.at
        for letter in words[1:]:
            if letter == "R":
                encoding = cursor.number("<B")
            elif letter == "L":
                cursor.number("<B")
            elif letter == "P":
                cursor.pointer(cursor.number("<B") & 0x0F)
        cursor.at = behind
    return _Common(code_step, data_step, return_register, encoding, words.startswith("z"), file.data[cursor.at : end])


class _Machine:
    """Runs the instructions of a table up to an address."""

    def __init__(self, common: _Common) -> None:
        self._common = common
        self._register, self._offset, self._code = 7, 8, b""
        self._rules: dict[int, Where] = {}
        self._first: dict[int, Where] = {}
        self._kept: list[tuple[int, int, bytes, dict[int, Where]]] = []

    def run(self, start: int, address: int, program: bytes) -> Row:
        self._play(self._common.program, start, address)
        self._first = dict(self._rules)
        self._play(program, start, address)
        return Row(self._register, self._offset, self._code, self._rules, self._common.return_register)

    def _play(self, program: bytes, place: int, address: int) -> None:
        cursor = _Cursor(program, 0)
        for _ in range(_LARGEST_STEPS):
            if cursor.at >= len(program):
                return
            byte = cursor.number("<B")
            high, low = byte & 0xC0, byte & 0x3F
            moved = self._moved(byte, cursor)
            if moved is not None:
                place = moved[0] if moved[1] else place + moved[0] * self._common.code_step
                if place > address:
                    return
            elif high == 0x80:
                self._rules[low] = Where("offset", cursor.unsigned() * self._common.data_step)
            elif high == 0xC0:
                self._restore(low)
            else:
                self._other(byte, cursor)

    def _moved(self, byte: int, cursor: _Cursor) -> tuple[int, bool] | None:
        """How far an instruction goes on, or to which address."""
        if byte & 0xC0 == 0x40:
            return byte & 0x3F, False
        if byte == 0x01:
            return cursor.pointer(self._common.encoding), True
        form = {0x02: "<B", 0x03: "<H", 0x04: "<I"}.get(byte)
        return (cursor.number(form), False) if form else None

    def _restore(self, register: int) -> None:
        if register in self._first:
            self._rules[register] = self._first[register]
        else:
            self._rules.pop(register, None)

    def _other(self, byte: int, cursor: _Cursor) -> None:
        step = self._common.data_step
        if byte in (0x0C, 0x12):  # the frame's address is a register and an offset
            self._register, self._code = cursor.unsigned(), b""
            self._offset = cursor.unsigned() if byte == 0x0C else cursor.signed() * step
        elif byte == 0x0D:
            self._register = cursor.unsigned()
        elif byte in (0x0E, 0x13):
            self._offset = cursor.unsigned() if byte == 0x0E else cursor.signed() * step
        elif byte == 0x0F:
            self._code = cursor.block()
        elif byte == 0x0A:
            self._kept.append((self._register, self._offset, self._code, dict(self._rules)))
        elif byte == 0x0B:
            self._register, self._offset, self._code, self._rules = self._kept.pop()
        elif byte == 0x2E:  # the size of arguments, which does not matter
            cursor.unsigned()
        elif byte != 0x00:
            self._saved(byte, cursor.unsigned() if byte != 0x2D else 0, cursor)

    def _saved(self, byte: int, register: int, cursor: _Cursor) -> None:
        """Instructions about one register."""
        step = self._common.data_step
        if byte == 0x05:
            self._rules[register] = Where("offset", cursor.unsigned() * step)
        elif byte == 0x06:
            self._restore(register)
        elif byte == 0x07:
            self._rules[register] = Where("undefined")
        elif byte == 0x08:
            self._rules[register] = Where("same")
        elif byte == 0x09:
            self._rules[register] = Where("register", cursor.unsigned())
        elif byte == 0x10:
            self._rules[register] = Where("expression", code=cursor.block())
        elif byte == 0x11:
            self._rules[register] = Where("offset", cursor.signed() * step)
        elif byte == 0x14:
            self._rules[register] = Where("value", cursor.unsigned() * step)
        elif byte == 0x15:
            self._rules[register] = Where("value", cursor.signed() * step)
        elif byte == 0x16:
            self._rules[register] = Where("value expression", code=cursor.block())
        elif byte != 0x2D:
            raise Unreadable(f"the instruction {byte:#x}")


class NoValue(Exception):
    """Something in an expression is not known here."""


def evaluate(
    code: bytes, registers: Sequence[int], word_at: Callable[[int], int | None], first: int | None = None
) -> int:
    """What an expression computes; `first` lies on the stack at the start. Raises NoValue."""
    stack = [] if first is None else [first]
    cursor = _Cursor(code, 0)
    try:
        while cursor.at < len(code):
            op = cursor.number("<B")
            if 0x30 <= op < 0x50:
                stack.append(op - 0x30)
            elif 0x70 <= op < 0x90:
                stack.append(registers[op - 0x70] + cursor.signed() & _WORD)
            elif op in _CONSTANTS:
                stack.append(cursor.number(_CONSTANTS[op]) & _WORD)
            elif op == 0x06:
                found = word_at(stack.pop())
                if found is None:
                    raise NoValue("memory that was not kept")
                stack.append(found)
            elif op == 0x23:
                stack.append(stack.pop() + cursor.unsigned() & _WORD)
            elif op == 0x12:
                stack.append(stack[-1])
            elif op in _TWO:
                second = stack.pop()
                stack.append(int(_TWO[op](stack.pop(), second)) & _WORD)
            else:
                raise NoValue(f"the operation {op:#x}")
        return stack[-1]
    except (IndexError, struct.error, ValueError, OverflowError, Unreadable) as error:
        raise NoValue(repr(error)) from error
