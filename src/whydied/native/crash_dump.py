"""Reads the dump that a crashed process left, see `dump_layout`, and tells what an integer was divided by. Pure; a file
that is torn or foreign gives None."""

from __future__ import annotations

import re
import struct
from typing import NamedTuple

from whydied.native.dump_layout import CODE_AT, CODE_BYTES, MAGIC, MAPS_AT, REGISTERS_AT, SIGINFO_AT, STACK_AT

_HEADER = struct.Struct("<8sIII")
_REGISTERS = struct.Struct("<23Q")
_SIGINFO = struct.Struct("<iii4xQ")
_SENDER = struct.Struct("<II")
# Where the kernel's order has the registers that unwinding tables count: rax, rdx, rcx, rbx, rsi, rdi, rbp, rsp, r8…
_ORDER = (13, 12, 14, 11, 9, 8, 10, 15, 0, 1, 2, 3, 4, 5, 6, 7, 16)
_ERROR, _TRAP = 19, 20
STACK_POINTER, PROGRAM_COUNTER = 7, 16
_MAPPING = re.compile(
    r"^(?P<start>[0-9a-f]+)-(?P<end>[0-9a-f]+) (?P<flags>\S{4}) (?P<offset>[0-9a-f]+) "
    r"(?P<device>[0-9a-f]+:[0-9a-f]+) (?P<inode>\d+) *(?P<path>.*)$"
)
_DELETED = " (deleted)"
# The processor's own order of registers: rax, rcx, rdx, rbx, rsp, rbp, rsi, rdi, r8…; in that of unwinding tables.
_NUMBERS = (0, 2, 1, 3, 7, 6, 4, 5, 8, 9, 10, 11, 12, 13, 14, 15)
_OPERAND_SIZE = 0x66
_DIVIDING = (6, 7)
_SCALED, _NO_INDEX, _NO_BASE = 4, 4, 5


class Mapping(NamedTuple):
    """A range of addresses. `path` is empty for memory that no file stands behind; `device` is "major:minor"."""

    start: int
    end: int
    flags: str
    offset: int
    device: str
    inode: int
    path: str
    deleted: bool = False

    @property
    def executable(self) -> bool:
        return "x" in self.flags


class Dump(NamedTuple):
    """`registers` are in the order of unwinding tables; `code` is the kernel's reason for the signal, `code_bytes` the
    instructions where the processor was. `sender` is the process that sent the signal, None where the
    processor or the kernel raised it; `address` is then the one that the signal is about."""

    pid: int
    thread: int
    signal: int
    code: int
    address: int | None
    sender: int | None
    trap: int
    error: int
    registers: tuple[int, ...]
    code_bytes: bytes
    stack: bytes
    maps: list[Mapping]

    @property
    def stack_pointer(self) -> int:
        return self.registers[STACK_POINTER]

    def mapping(self, address: int) -> Mapping | None:
        return next((one for one in self.maps if one.start <= address < one.end), None)


def read_dump(data: bytes) -> Dump | None:
    """None where the file is torn before the registers, or no dump."""
    if len(data) < REGISTERS_AT + _REGISTERS.size or data[:8] != MAGIC:
        return None
    _, pid, thread, signal = _HEADER.unpack_from(data)
    _, _, code, address = _SIGINFO.unpack_from(data, SIGINFO_AT)
    # A code above zero is the kernel's own; others carry the sender in place of an address.
    sent = code <= 0
    sender, _ = _SENDER.unpack_from(data, SIGINFO_AT + 16)
    words = _REGISTERS.unpack_from(data, REGISTERS_AT)
    return Dump(
        pid=pid,
        thread=thread,
        signal=signal,
        code=code,
        address=None if sent else address,
        sender=sender if sent else None,
        trap=words[_TRAP],
        error=words[_ERROR],
        registers=tuple(words[index] for index in _ORDER),
        code_bytes=data[CODE_AT : CODE_AT + CODE_BYTES],
        stack=data[STACK_AT:MAPS_AT],
        maps=read_maps(data[MAPS_AT:].decode("utf-8", "replace")),
    )


def read_maps(text: str) -> list[Mapping]:
    found = []
    for line in text.splitlines():
        if match := _MAPPING.match(line):
            path = match["path"]
            found.append(
                Mapping(
                    start=int(match["start"], 16),
                    end=int(match["end"], 16),
                    flags=match["flags"],
                    offset=int(match["offset"], 16),
                    device=_device(match["device"]),
                    inode=int(match["inode"]),
                    path=path.removesuffix(_DELETED),
                    deleted=path.endswith(_DELETED),
                )
            )
    return found


def _device(text: str) -> str:
    """As /proc/self/mountinfo writes it: in decimal."""
    major, _, minor = text.partition(":")
    return f"{int(major, 16)}:{int(minor, 16)}"


def divisor_of(dump: Dump) -> int | None:
    """The divisor of a `div` or `idiv`, with its sign for the second; None where it was in memory that was not kept,
    and for other instructions."""
    try:
        return _divisor(dump, dump.code_bytes)
    except IndexError:
        return None


def _divisor(dump: Dump, code: bytes) -> int | None:
    at, bits, prefix = 0, 32, 0
    if code[at] == _OPERAND_SIZE:
        at, bits = at + 1, 16
    if code[at] & 0xF0 == 0x40:
        prefix, at = code[at], at + 1
        bits = 64 if prefix & 8 else bits
    opcode, operand = code[at], code[at + 1]
    kind = operand >> 3 & 7
    if opcode not in (0xF6, 0xF7) or kind not in _DIVIDING:
        return None
    bits = 8 if opcode == 0xF6 else bits
    if operand >> 6 == 3:
        if bits == 8 and operand & 7 >= 4:
            # Which half of a register that is depends on prefixes.
            return None
        value: int | None = _register(dump, operand & 7, prefix & 1)
    else:
        value = _in_memory(dump, code[at + 1 :], prefix, bits // 8)
    if value is None:
        return None
    value &= (1 << bits) - 1
    return value - (1 << bits) if kind == 7 and value >> bits - 1 else value


def _register(dump: Dump, number: int, extended: int) -> int:
    return dump.registers[_NUMBERS[number + 8 * extended]]


def _in_memory(dump: Dump, operand: bytes, prefix: int, size: int) -> int | None:
    """An operand on the stack: a register, perhaps another one times a power of two, and a number."""
    form, base, at, index = operand[0] >> 6, operand[0] & 7, 1, 0
    if base == _SCALED:
        scaled, at = operand[1], 2
        base = scaled & 7
        if (scaled >> 3 & 7) + 8 * (prefix >> 1 & 1) != _NO_INDEX:
            index = _register(dump, scaled >> 3 & 7, prefix >> 1 & 1) << (scaled >> 6)
    if form == 0 and base == _NO_BASE:
        return None
    length = {0: 0, 1: 1, 2: 4}[form]
    offset = int.from_bytes(operand[at : at + length], "little", signed=True)
    place = _register(dump, base, prefix & 1) + index + offset - dump.stack_pointer
    if not 0 <= place <= len(dump.stack) - size:
        return None
    return int.from_bytes(dump.stack[place : place + size], "little")
