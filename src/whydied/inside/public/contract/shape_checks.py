"""Whether an array has the shape and the sort of values that a term asks for; runs in the user's process."""

from __future__ import annotations

from typing import Any

from whydied.inside.public import shape_text
from whydied.records import Term

_TEXT = "OSU"


def mismatch(term: Term, array: Any, sizes: shape_text.Sizes | None = None) -> str | None:
    """What is wrong, in words, or None. `sizes` are those of the names that other shapes have bound."""
    if term.kind == "shape":
        return _shape(term, tuple(array.shape), sizes)
    if term.kind == "dtype":
        return _dtype(term, array)
    return None


def _shape(term: Term, shape: tuple[int, ...], sizes: shape_text.Sizes | None) -> str | None:
    pattern = shape_text.parse(term.shape)
    wrong = shape_text.mismatch(pattern, shape, sizes)
    if wrong is None or term.by == "declared":
        return wrong
    # Keras adds and drops a last axis of extent 1 by itself.
    for other in ((*shape, 1), shape[:-1] if shape[-1:] == (1,) else None):
        if other is not None and shape_text.mismatch(pattern, other) is None:
            return None
    return wrong


def _dtype(term: Term, array: Any) -> str | None:
    name = array.dtype.name
    if term.by == "declared":
        return None if same_dtype(term.dtype, array.dtype) else f"it is {name}"
    if term.dtype == "string":
        return None if array.dtype.kind in _TEXT else f"it is {name}"
    return None


def same_dtype(wanted: str, dtype: Any) -> bool:
    """A name of a type (`float32`), or of a sort of types (`float`, `int`, `number`, `bool`, `string`)."""
    kinds = {"float": "f", "int": "iu", "integer": "iu", "number": "iuf", "bool": "b", "string": _TEXT, "str": _TEXT}
    if wanted in kinds:
        return dtype.kind in kinds[wanted] or (wanted in ("float", "number") and "float" in dtype.name)
    return bool(dtype.name == wanted)
