"""Shape, dtype and bytes of tensors, variables and arrays for the census; runs in the user's process.

Invariant: nothing is computed, copied or initialised, and no method that a subclass of the user's overrides is
called: all is read through the base type's own slots.
"""

from __future__ import annotations

import math
import os
import sys
from itertools import repeat
from operator import is_
from typing import Any, NamedTuple

from whydied.inside.census import object_kinds, other_tensors
from whydied.inside.census.object_kinds import TypeFacts
from whydied.inside.process import process_memory

# tensorflow/core/framework/types.proto
_DTYPES = {
    1: ("float32", 4),
    2: ("float64", 8),
    3: ("int32", 4),
    4: ("uint8", 1),
    5: ("int16", 2),
    6: ("int8", 1),
    7: ("string", 24),
    8: ("complex64", 8),
    9: ("int64", 8),
    10: ("bool", 1),
    14: ("bfloat16", 2),
    17: ("uint16", 2),
    18: ("complex128", 16),
    19: ("float16", 2),
    20: ("resource", 0),
    21: ("variant", 0),
    22: ("uint32", 4),
    23: ("uint64", 8),
}


_MOST_ELEMENTS = 10_000


class Measure(NamedTuple):
    shape: tuple[int | None, ...] | None
    dtype: str | None
    size_bytes: int


NOTHING = Measure(None, None, 0)


def measure(thing: Any, facts: TypeFacts) -> Measure:
    """What a leaf is. Views of other memory have no size of their own here: see `owner`."""
    if facts.name == object_kinds.TENSOR:
        return _tensor(thing, facts)
    if facts.name == object_kinds.ARRAY:
        base: Any = facts.base
        return Measure(base.shape.__get__(thing), str(base.dtype.__get__(thing)), int(base.nbytes.__get__(thing)))
    if facts.name in (object_kinds.VARIABLE, object_kinds.KERAS_VARIABLE):
        return _variable(thing, facts)
    if facts.name in (object_kinds.TEXT, object_kinds.ATOM):
        return Measure(None, None, object_kinds.shallow_bytes(thing, facts))
    return NOTHING


def _tensor(thing: Any, facts: TypeFacts) -> Measure:
    if other_tensors.is_other(facts.base):
        return Measure(*other_tensors.measure(thing, facts.base))
    name, size = _DTYPES.get(facts.base._datatype_enum(thing), ("other", 0))  # type: ignore[attr-defined]
    shape = facts.base._shape_tuple(thing)  # type: ignore[attr-defined]
    return Measure(shape, name, size * (facts.base._num_elements(thing) if size else 0))  # type: ignore[attr-defined]


def _variable(thing: Any, facts: TypeFacts) -> Measure:
    own = dict(object_kinds.attributes(thing, facts))
    shape = own.get("_shape")
    if type(shape) is not tuple:
        dims = getattr(shape, "_dims", None) if type(shape).__name__ == "TensorShape" else None
        shape = tuple(getattr(dim, "_value", dim) for dim in dims) if dims is not None else None
    dtype = own.get("_dtype")
    name = dtype if isinstance(dtype, str) else _dtype_name(dtype)
    size = next((size for word, size in _DTYPES.values() if word == name), 0)
    return Measure(shape, name, size * math.prod(extent or 0 for extent in shape) if shape is not None else 0)


def _dtype_name(dtype: Any) -> str | None:
    if type(dtype).__name__ == "DType" and type(dtype).__module__.startswith("tensorflow"):
        name = dtype.name
        return name[:-4] if name.endswith("_ref") else str(name)
    return None


def forms(things: list[Any], facts: TypeFacts) -> list[tuple[Any, ...]]:
    """For each of many arrays or tensors of one type, quickly: its shape, its element type, whether its memory is its
    own. Those of one form weigh the same."""
    base: Any = facts.base
    if facts.name == object_kinds.ARRAY:
        owning = map(is_, map(base.base.__get__, things), repeat(None))
        return list(zip(map(base.shape.__get__, things), map(base.dtype.__get__, things), owning, strict=True))
    if other_tensors.is_other(base):
        return other_tensors.forms(things, base)
    return list(zip(map(base._shape_tuple, things), map(base._datatype_enum, things), repeat(True), strict=False))


def sizes(things: list[Any], facts: TypeFacts) -> list[int]:
    """What many arrays or tensors of one type weigh, in units of their own, quickly; empty for others."""
    base: Any = facts.base
    if facts.name == object_kinds.ARRAY:
        return list(map(base.nbytes.__get__, things))
    if facts.name == object_kinds.TENSOR and other_tensors.is_other(base):
        return other_tensors.sizes(things, base)
    return list(map(base._num_elements, things)) if facts.name == object_kinds.TENSOR else []


def has_objects(array: Any, facts: TypeFacts) -> bool:
    base: Any = facts.base
    return bool(base.dtype.__get__(array).hasobject)


def elements(array: Any, facts: TypeFacts, most: int = _MOST_ELEMENTS) -> tuple[list[Any], int]:
    """Objects in an array of objects, which the garbage collector cannot see, and how many there are in all."""
    numpy: Any = sys.modules.get("numpy")
    base: Any = facts.base
    if not has_objects(array, facts) or base.dtype.__get__(array).names:
        return [], 0
    plain = base.view(array, numpy.ndarray)
    if not plain.flags.c_contiguous and not plain.flags.f_contiguous:
        return [], 0
    flat = plain.reshape(-1, order="A")
    step = flat.size // most | 1
    items: list[Any] = flat[::step].tolist()
    return items, int(flat.size)


class Owner(NamedTuple):
    """Whose memory an array shows. `key` is the same for all views of one memory; `mapped` says that it is a file."""

    key: int
    array: Any
    mapped: bool = False


def owner(array: Any, facts: TypeFacts) -> Owner:
    """Follows the chain of bases to the array that owns the memory, or to the foreign object behind it."""
    base_of: Any = facts.base.base  # type: ignore[attr-defined]
    current = array
    for _ in range(64):
        base = base_of.__get__(current)
        if base is None:
            return Owner(id(current), current)
        if object_kinds.type_facts(type(base)).name != object_kinds.ARRAY:
            return Owner(id(base), current, object_kinds.type_facts(type(base)).module == "mmap")
        current = base
    return Owner(id(current), current)


def contents(thing: Any, facts: TypeFacts) -> Any:
    """The memory of an array or of a CPU tensor as a NumPy array that shares it, or None. Never copies."""
    if facts.name == object_kinds.ARRAY:
        return thing
    numpy: Any = sys.modules.get("numpy")
    if other_tensors.is_other(facts.base):
        return None
    if facts.name != object_kinds.TENSOR or numpy is None or not _on_host(thing, facts):
        return None
    return facts.base._numpy_internal(thing)  # type: ignore[attr-defined]


def _forked() -> bool:
    """In a fork a lock of TensorFlow's may be held by a thread that is not there any more."""
    return os.getpid() != process_memory.FIRST_PID


def _on_host(thing: Any, facts: TypeFacts) -> bool:
    context: Any = sys.modules.get("tensorflow.python.eager.context")
    current = getattr(context, "_context", None)
    if current is None or getattr(current, "_default_is_async", True) or _forked():
        return False
    device = type.__getattribute__(facts.base, "__mro__")
    for base in device:
        slot = base.__dict__.get("device")
        if slot is not None and hasattr(slot, "__get__"):
            name = slot.__get__(thing, type(thing))
            return isinstance(name, str) and "CPU" in name
    return False
