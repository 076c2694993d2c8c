"""The variables of a running frame, by name, without a trace left in it; runs in the user's process.

Invariant: no snapshot dictionary is left behind. Before Python 3.13 `frame.f_locals` copies the variables of a
function into a dictionary that stays with the frame: it would keep the user's objects alive, and change what an
earlier `locals()` of the user's returned. So the slots are read in place: by the frame's own layout in 3.10 and 3.11,
by the C API in 3.12. The layout is tried on a frame of our own first; where it is not the expected one, `f_locals` is
read, and emptied again.
"""

from __future__ import annotations

import functools
import sys
from itertools import repeat, takewhile
from operator import attrgetter
from types import CellType, CodeType, FrameType
from typing import Any

_OPTIMIZED = 0x1 | 0x2  # CO_OPTIMIZED | CO_NEWLOCALS: the variables are slots, not a namespace
_VERSION = sys.version_info[:2]
_WORD = 8
_FRAME_DATA, _CODE, _FIRST_SLOT = 24, 32, 72 if _VERSION == (3, 11) else 352
"""3.10: PyFrameObject holds f_code and the slots. 3.11: it points to a _PyInterpreterFrame, which holds them."""
_ATTEMPTS = 3
_LARGEST_SLOTS = 1000
_slots: dict[int, tuple[dict[str, int], CodeType]] = {}


def variables(frame: FrameType) -> list[tuple[str, Any]]:
    """Name and value of each variable that is bound, the order that of the code."""
    if frame.f_code.co_flags & _OPTIMIZED != _OPTIMIZED:
        # The body of a module or a class: the namespace itself, no copy.
        return list(frame.f_locals.items())
    if _VERSION >= (3, 13):
        return list(frame.f_locals.items())
    if _VERSION == (3, 12) and sys.implementation.name == "cpython":
        return _through_api(frame)
    return _through_layout(frame) if _layout_fits() else list(of_library(frame).items())


def of_library(frame: FrameType) -> dict[str, Any]:
    """The variables of a running function of a library's, quickly: for hooks, which run in the frame's own thread. The
    snapshot is emptied again. Left in the frame of `fit` it would keep the iterator of an epoch, with its threads,
    alive through the next one."""
    names = frame.f_locals
    if _VERSION >= (3, 13) or frame.f_code.co_flags & _OPTIMIZED != _OPTIMIZED or "locals" in frame.f_code.co_names:
        return dict(names)
    found = dict(names)
    names.clear()
    return found


def variable(frame: FrameType, name: str, default: Any = None) -> Any:
    """One variable of a frame that runs in this thread, quickly."""
    code = frame.f_code
    if code.co_flags & _OPTIMIZED != _OPTIMIZED or _VERSION >= (3, 13):
        return frame.f_locals.get(name, default)
    if _VERSION != (3, 11) or not _layout_fits():
        return dict(variables(frame)).get(name, default)
    import ctypes

    # By the address of the code, which is kept: to hash a code is slow.
    known = _slots.get(id(code))
    if known is None:
        if len(_slots) >= _LARGEST_SLOTS:
            _slots.clear()
        known = _slots[id(code)] = (_addresses(code, _FIRST_SLOT), code)
    slots = known[0]
    base = ctypes.c_void_p.from_address(id(frame) + _FRAME_DATA).value
    if name not in slots or not base or ctypes.c_void_p.from_address(base + _CODE).value != id(code):
        return default
    try:
        value: Any = ctypes.py_object.from_address(base + slots[name]).value
        return value.cell_contents if type(value) is CellType else value
    except ValueError:
        # Not bound, or a cell that is empty.
        return default


@functools.cache
def _layout_fits() -> bool:
    """Whether the slots of a frame of our own are where we look for them. Nothing but addresses is compared."""
    import ctypes

    if sys.implementation.name != "cpython" or ctypes.sizeof(ctypes.c_void_p) != _WORD:
        return False
    shared = object()
    closed = (lambda: shared).__closure__ or ()
    frame = sys._getframe()
    known = {"closed": id(closed), "shared": id(closed[0])}
    base: int | None = id(frame)
    if _VERSION == (3, 11):
        base = ctypes.c_void_p.from_address(id(frame) + _FRAME_DATA).value
    if not base or ctypes.c_void_p.from_address(base + _CODE).value != id(frame.f_code):
        return False
    addresses = _addresses(frame.f_code, base + _FIRST_SLOT)
    # Else it would refer to itself.
    del frame
    return all(ctypes.c_void_p.from_address(addresses[name]).value == value for name, value in known.items())


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
    """The code is compared before anything else is read."""
    import ctypes

    for _ in range(_ATTEMPTS):
        try:
            found = _slots_3_11(frame, ctypes) if _VERSION == (3, 11) else _slots_3_10(frame, ctypes)
        except ValueError:
            # A slot was emptied between the look at it and the reading of it.
            continue
        if found is not None:
            return [pair for name, value in found for pair in _contents(name, value)]
    return []


def _slots_3_10(frame: FrameType, ctypes: Any) -> list[tuple[str, Any]] | None:
    base = id(frame)
    if ctypes.c_void_p.from_address(base + _CODE).value != id(frame.f_code):
        return []
    addresses = _addresses(frame.f_code, base + _FIRST_SLOT)
    bound = {name: at for name, at in addresses.items() if ctypes.c_void_p.from_address(at).value}
    slots = [ctypes.py_object.from_address(at) for at in bound.values()]
    return list(zip(bound, map(attrgetter("value"), slots), strict=True))


def _slots_3_11(frame: FrameType, ctypes: Any) -> list[tuple[str, Any]] | None:
    """None where the frame moved meanwhile: a frame that ends moves into its frame object, and what it leaves behind
    are dangling pointers. So each slot is read right after the check that the frame is still there, all in one C call,
    in the middle of which no other thread can run."""
    place = ctypes.c_void_p.from_address(id(frame) + _FRAME_DATA)
    base = place.value
    if not base or ctypes.c_void_p.from_address(base + _CODE).value != id(frame.f_code):
        return [] if base == place.value else None
    addresses = _addresses(frame.f_code, base + _FIRST_SLOT)
    words = _guarded(place, base, [ctypes.c_void_p.from_address(at) for at in addresses.values()])
    if len(words) != len(addresses):
        return None
    bound = {name: at for (name, at), word in zip(addresses.items(), words, strict=True) if word}
    values = _guarded(place, base, [ctypes.py_object.from_address(at) for at in bound.values()])
    return list(zip(bound, values, strict=True)) if len(values) == len(bound) else None


def _guarded(place: Any, base: int, slots: list[Any]) -> list[Any]:
    """The values of the slots, as far as the frame stays where it was."""
    still_there = takewhile(base.__eq__, map(attrgetter("value"), repeat(place)))
    pairs = list(zip(still_there, map(attrgetter("value"), slots), strict=False))
    return [value for _, value in pairs]


def _addresses(code: CodeType, start: int) -> dict[str, int]:
    return {name: start + index * _WORD for index, name in enumerate(_names(code))}


def _contents(name: str, value: Any) -> list[tuple[str, Any]]:
    if type(value) is not CellType:
        return [(name, value)]
    try:
        return [(name, value.cell_contents)]
    except ValueError:
        return []


def _names(code: CodeType) -> list[str]:
    """The names of the slots in their order. From 3.11 on an argument that is a cell has one slot, before that two."""
    cells = code.co_cellvars
    if _VERSION >= (3, 11):
        cells = tuple(name for name in cells if name not in code.co_varnames)
    return [*code.co_varnames, *cells, *code.co_freevars]
