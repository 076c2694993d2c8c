"""What a value is, never what it holds: type, shape, dtype, bytes, length; runs in the user's process.

Invariant: no code of the user's runs. Attributes are read only from types of well-known libraries, lengths only
through the built-in types' own methods, and anything else is known by its type alone.
"""

from __future__ import annotations

import math
from collections import deque
from typing import Any

import msgspec

from whydied.inside.guest import guard

_ARRAYS = frozenset({"numpy", "tensorflow", "keras", "tf_keras", "pandas", "torch", "jax", "jaxlib", "scipy"})
_SIZED: tuple[type, ...] = (str, bytes, bytearray, list, tuple, dict, set, frozenset, deque, range, memoryview)
_LARGEST_RANK = 32
ITEM_BYTES = {
    **dict.fromkeys(("int8", "uint8", "bool"), 1),
    **dict.fromkeys(("float16", "bfloat16", "int16", "uint16"), 2),
    **dict.fromkeys(("float32", "int32", "uint32"), 4),
    **dict.fromkeys(("float64", "int64", "uint64", "complex64"), 8),
    "complex128": 16,
}
"""Of one element."""


class Facts(msgspec.Struct, frozen=True):
    type: str
    shape: list[int | None] | None = None
    dtype: str | None = None
    size_bytes: int | None = None
    length: int | None = None


def describe(value: object) -> Facts:
    kind = type(value)
    name = type_name(kind)
    # What a type is made from, not what it says: a proxy calls itself a dict, and is none.
    bases = type.__getattribute__(kind, "__mro__")
    for sized in _SIZED:
        if sized in bases:
            try:
                length: int = sized.__len__(value)  # type: ignore[attr-defined]
            except ValueError:
                # A memoryview that was released.
                return Facts(name)
            size = length if sized in (bytes, bytearray) else None
            return Facts(name, length=length, size_bytes=size)
    if _library(kind) in _ARRAYS:
        return _array(value, name)
    return Facts(name)


def type_name(kind: type) -> str:
    module = type.__getattribute__(kind, "__module__")
    name: str = type.__getattribute__(kind, "__qualname__")
    return name if module in ("builtins", "__main__") or not isinstance(module, str) else f"{module}.{name}"


def _library(kind: type) -> str:
    module = type.__getattribute__(kind, "__module__")
    return module.partition(".")[0] if isinstance(module, str) else ""


def _array(value: Any, name: str) -> Facts:
    shape, dtype, size = _shape(value), _dtype(value), _nbytes(value)
    if size is None and shape is not None and None not in shape:
        size = _bytes(shape, dtype)
    return Facts(name, shape, dtype, size)


@guard.otherwise(None)
def _nbytes(value: Any) -> int | None:
    nbytes = getattr(value, "nbytes", None)
    return int(nbytes) if isinstance(nbytes, int) else None


@guard.otherwise(None)
def _shape(value: Any) -> list[int | None] | None:
    shape = getattr(value, "shape", None)
    if shape is None or getattr(shape, "rank", 0) is None:
        return None
    # With the behaviour of TensorFlow 1 an extent is a Dimension, and its value may be None.
    extents = [size if size is None or type(size) is int else getattr(size, "value", size) for size in shape]
    return [None if size is None else int(size) for size in extents][:_LARGEST_RANK]


@guard.otherwise(None)
def _dtype(value: Any) -> str | None:
    dtype = getattr(value, "dtype", None)
    name = getattr(dtype, "name", None)
    return name if isinstance(name, str) or dtype is None else str(dtype)[:40]


def _bytes(shape: list[int | None], dtype: str | None) -> int | None:
    size = ITEM_BYTES.get(dtype or "")
    return size * math.prod(extent or 0 for extent in shape) if size is not None else None
