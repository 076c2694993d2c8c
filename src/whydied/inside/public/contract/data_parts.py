"""The parts of what a call was given, each by the name that a person would write; runs in the user's process.

Invariant: nothing is copied but Python lists of numbers, and no code of the user's runs: only the containers of
Python itself are opened, and only arrays of NumPy, TensorFlow and pandas are read.
"""

from __future__ import annotations

from typing import Any, NamedTuple

from whydied.inside.census import array_sizes, object_kinds

LARGEST_LEAVES = 32
_LARGEST_LIST = 100_000
_DEPTH = 3
_NO_NUMBERS = ("string", "variant", "resource", "other")
_SCALARS = (int, float, bool, str, bytes)


class Leaf(NamedTuple):
    """`key` is its place among its siblings: a position, a name, or None for a value that stands alone."""

    name: str
    key: int | str | None
    value: Any


def leaves_of(value: Any, name: str) -> list[Leaf]:
    found: list[Leaf] = []
    _collect(value, name, None, found, _DEPTH)
    return found


def _collect(value: Any, name: str, key: int | str | None, into: list[Leaf], depth: int) -> None:
    if value is None or len(into) >= LARGEST_LEAVES:
        return
    kind = type(value)
    if depth and kind is dict:
        for part in sorted(value, key=str):
            _collect(value[part], f"{name}[{part!r}]", part if isinstance(part, str) else str(part), into, depth - 1)
    elif depth and kind in (list, tuple) and not _is_plain(value):
        for at, part in enumerate(value[:LARGEST_LEAVES]):
            _collect(part, f"{name}[{at}]", at, into, depth - 1)
    else:
        into.append(Leaf(name, key, value))


def _is_plain(value: Any) -> bool:
    """Whether a list is one of numbers (or of lists of them), and so a single array."""
    while type(value) in (list, tuple) and len(value):
        value = value[0]
    return type(value) in _SCALARS


def array_of(value: Any) -> Any:
    """The elements of a leaf as a NumPy array with at least one axis, or None. Shares the memory where there is any."""
    import numpy

    sort = object_kinds.type_facts(type(value))
    if sort.name in (object_kinds.ARRAY, object_kinds.TENSOR):
        if sort.name == object_kinds.TENSOR and array_sizes.measure(value, sort).dtype in _NO_NUMBERS:
            return None
        array = array_sizes.contents(value, sort)
        if isinstance(array, numpy.ndarray):
            array = numpy.ndarray.view(array, numpy.ndarray)
    elif type(value) in (list, tuple) and len(value) <= _LARGEST_LIST and _is_plain(value):
        array = _from_list(value)
    elif type(value).__module__.partition(".")[0] == "pandas" and hasattr(value, "to_numpy"):
        array = value.to_numpy()
    else:
        return None
    return array if isinstance(array, numpy.ndarray) and array.ndim else None


def _from_list(value: Any) -> Any:
    import numpy

    try:
        return numpy.asarray(value)
    except ValueError:
        # Rows of different lengths.
        return None


Path = tuple["int | str", ...]
"""Where a part is in a structure: `(0, "ids")`; empty for data without parts."""


def parts_of(value: Any) -> dict[Path, Any]:
    """The parts of a structure of tuples, lists and dicts, by their paths."""
    found: dict[Path, Any] = {}
    for key, part in _children(value):
        found |= {(key, *path): inner for path, inner in parts_of(part).items()}
    return found if _has_parts(value) else {(): value}


def packed(like: Any, parts: dict[Path, Any]) -> Any:
    """Parts in the form of a structure."""
    if not _has_parts(like):
        return parts[()]
    made = [
        packed(child, {path[1:]: part for path, part in parts.items() if path[0] == key})
        for key, child in _children(like)
    ]
    if isinstance(like, dict):
        return type(like)(zip(like, made, strict=True))
    return type(like)(*made) if hasattr(like, "_fields") else type(like)(made)


def _has_parts(value: Any) -> bool:
    if isinstance(value, dict):
        return bool(value)
    return isinstance(value, (list, tuple)) and len(value) > 0 and not _is_plain(value)


def _children(value: Any) -> list[tuple[int | str, Any]]:
    if not _has_parts(value):
        return []
    return list(value.items()) if isinstance(value, dict) else list(enumerate(value))


def any_array(value: Any) -> Any:
    """The elements of a part that the user names: also scalars, and tensors that are not on the host. None where it is
    no data."""
    import numpy

    found = array_of(value)
    if found is not None:
        return found
    for name in ("flat_values", "values"):
        if type(value).__name__ in ("RaggedTensor", "SparseTensor", "EagerRaggedTensor") and hasattr(value, name):
            value = getattr(value, name)
            break
    if hasattr(value, "numpy") and callable(value.numpy):
        return numpy.asarray(value.numpy())
    if isinstance(value, (numpy.ndarray, numpy.generic, *_SCALARS)):
        return numpy.asarray(value)
    return None


def numpy_dtype(part: Any) -> Any:
    """The type of a tensor or a spec as NumPy knows it, or None."""
    import numpy

    dtype = getattr(part, "dtype", None)
    known = getattr(dtype, "as_numpy_dtype", dtype)
    try:
        return numpy.dtype(known) if known is not None else None
    except TypeError:
        return None
