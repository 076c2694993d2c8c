"""The variables of a running frame, by name, without a trace left in it; runs in the user's process.

What always holds: no snapshot dictionary is made. Before Python 3.13 `frame.f_locals` copies the variables of a
function into a dictionary that stays with the frame: it would keep the user's objects alive, and change what an
earlier `locals()` of the user's returned. So the slots are read in place: by the frame's own layout in 3.10 and 3.11,
by the C API in 3.12. A layout that is not the expected one gives no variables at all.
"""

from __future__ import annotations

import sys
from types import CellType, CodeType, FrameType
from typing import Any

_OPTIMIZED = 0x1 | 0x2  # CO_OPTIMIZED | CO_NEWLOCALS: the variables are slots, not a namespace
_VERSION = sys.version_info[:2]
_WORD = 8


def variables(frame: FrameType) -> list[tuple[str, Any]]:
    """Name and value of each variable that is bound, the order that of the code."""
    if frame.f_code.co_flags & _OPTIMIZED != _OPTIMIZED:
        # The body of a module or a class: the namespace itself, no copy.
        return list(frame.f_locals.items())
    if _VERSION >= (3, 13):
        return list(frame.f_locals.items())
    if sys.implementation.name != "cpython" or hasattr(sys, "getobjects"):
        return []
    if _VERSION == (3, 12):
        return _through_api(frame)
    return _through_layout(frame)


def _through_api(frame: FrameType) -> list[tuple[str, Any]]:
    import ctypes

    get = ctypes.pythonapi.PyFrame_GetVarString
    get.restype = ctypes.py_object
    get.argtypes = [ctypes.py_object, ctypes.c_char_p]
    found = []
    for name in _names(frame.f_code):
        try:
            found.append((name, get(frame, name.encode())))
        except NameError:
            continue
    return found


def _through_layout(frame: FrameType) -> list[tuple[str, Any]]:
    """3.10: PyFrameObject holds f_code at 32 and the slots at 352. 3.11: it points at 24 to a _PyInterpreterFrame,
    which holds f_code at 32 and the slots at 72. The code is compared before anything else is read."""
    import ctypes

    if ctypes.sizeof(ctypes.c_void_p) != _WORD:
        return []
    base = id(frame)
    slots_at = 352
    if _VERSION == (3, 11):
        base = ctypes.c_void_p.from_address(base + 24).value or 0
        slots_at = 72
    if not base or ctypes.c_void_p.from_address(base + 32).value != id(frame.f_code):
        return []
    found: list[tuple[str, Any]] = []
    for index, name in enumerate(_names(frame.f_code)):
        address = base + slots_at + index * _WORD
        if not ctypes.c_void_p.from_address(address).value:
            continue
        value: Any = ctypes.py_object.from_address(address).value
        if type(value) is CellType:
            try:
                value = value.cell_contents
            except ValueError:
                continue
        found.append((name, value))
    return found


def _names(code: CodeType) -> list[str]:
    """The names of the slots in their order. From 3.11 on an argument that is a cell has one slot, before that two."""
    cells = code.co_cellvars
    if _VERSION >= (3, 11):
        cells = tuple(name for name in cells if name not in code.co_varnames)
    return [*code.co_varnames, *cells, *code.co_freevars]
