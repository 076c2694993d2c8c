"""The little stack language in which unwinding tables compute an address (DWARF expressions). Pure."""

from __future__ import annotations

import operator
import struct
from collections.abc import Callable, Sequence

from whydied.native.frame_table import Cursor, Unreadable

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
    cursor = Cursor(code, 0)
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
