"""What an integer was divided by, told from the instruction, the registers and the stack. Pure."""

from __future__ import annotations

from whydied.native.crash_dump import Dump

# The processor's own order of registers: rax, rcx, rdx, rbx, rsp, rbp, rsi, rdi, r8…; in that of unwinding tables.
_NUMBERS = (0, 2, 1, 3, 7, 6, 4, 5, 8, 9, 10, 11, 12, 13, 14, 15)
_OPERAND_SIZE = 0x66
_DIVIDING = (6, 7)
_SCALED, _NO_INDEX, _NO_BASE = 4, 4, 5


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
