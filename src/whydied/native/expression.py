"""The little stack language in which unwinding tables compute an address (DWARF expressions). Pure."""

from __future__ import annotations

import operator
import struct
from collections.abc import Callable, Sequence

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


class NoValue(Exception):
    """Something in it is not known here."""


def evaluate(
    code: bytes, registers: Sequence[int], word_at: Callable[[int], int | None], first: int | None = None
) -> int:
    """What an expression computes; `first` lies on the stack at the start. Raises NoValue."""
    stack = [] if first is None else [first]
    at = 0
    try:
        while at < len(code):
            op = code[at]
            at += 1
            if 0x30 <= op < 0x50:
                stack.append(op - 0x30)
            elif 0x70 <= op < 0x90:
                offset, at = _signed(code, at)
                stack.append(registers[op - 0x70] + offset & _WORD)
            elif op in _CONSTANTS:
                (value,) = struct.unpack_from(_CONSTANTS[op], code, at)
                at += struct.calcsize(_CONSTANTS[op])
                stack.append(value & _WORD)
            elif op == 0x06:
                found = word_at(stack.pop())
                if found is None:
                    raise NoValue("memory that was not kept")
                stack.append(found)
            elif op == 0x23:
                added, at = _unsigned(code, at)
                stack.append(stack.pop() + added & _WORD)
            elif op == 0x12:
                stack.append(stack[-1])
            elif op in _TWO:
                second = stack.pop()
                stack.append(int(_TWO[op](stack.pop(), second)) & _WORD)
            else:
                raise NoValue(f"the operation {op:#x}")
        return stack[-1]
    except (IndexError, struct.error, ValueError, OverflowError) as error:
        raise NoValue(repr(error)) from error


def _unsigned(code: bytes, at: int) -> tuple[int, int]:
    value = shift = 0
    while True:
        byte = code[at]
        at += 1
        value |= (byte & 0x7F) << shift
        shift += 7
        if not byte & 0x80:
            return value, at


def _signed(code: bytes, at: int) -> tuple[int, int]:
    start = at
    value, at = _unsigned(code, at)
    return (value - (1 << 7 * (at - start)), at) if code[at - 1] & 0x40 else (value, at)
