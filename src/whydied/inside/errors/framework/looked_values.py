"""A value that took part in what failed, with what its numbers are; runs in the user's process, after an exception.

Invariant: arrays are only read, and only where they are few enough values to look at.
"""

from __future__ import annotations

import ast
import math
from typing import Any, NamedTuple

from whydied.inside.errors.framework.value_sources import sources_of
from whydied.inside.errors.stack_steps import Step
from whydied.inside.guest import guard
from whydied.inside.guest.value_facts import describe
from whydied.records import Party

LARGEST_LOOK = 5_000_000
LARGEST_OBJECTS = 10_000


def looked_at(role: str, value: Any, node: ast.AST | None, users: list[Step]) -> Party:
    """A value with what its numbers are, where they are few enough to look at."""
    facts = describe(value)
    numbers = _numbers(value)
    held, lengths = _held(value)
    text = ast.unparse(node)[:80] if node is not None else ""
    sources = sources_of(node, users[-1], users[:-1]) if node is not None and users else []
    return Party(
        role=role,
        text=text,
        type=facts.type,
        shape=facts.shape,
        # The array of a table with columns of several types is one of Python objects.
        dtype=facts.dtype or ("object" if held and type(value).__name__ == "DataFrame" else None),
        lowest=numbers.lowest,
        highest=numbers.highest,
        one_hot=numbers.one_hot,
        classes=numbers.classes,
        first_class=numbers.first_class,
        held=held,
        shortest=min(lengths) if lengths else None,
        longest=max(lengths) if lengths else None,
        whole=_whole(value, node, users),
        sources=sources,
    )


def _whole(value: Any, node: ast.AST | None, users: list[Step]) -> list[int]:
    """The range of the array that a batch was taken from: a view of it, or a part as the source writes it. The rows of
    both are as large; what is one column of a table tells nothing by the others."""
    array = _array(value)
    if array is None or not array.ndim:
        return []
    root = node
    while isinstance(root, ast.Subscript):
        root = root.value
    named = users[-1].names.get(root.id) if users and isinstance(root, ast.Name) and root is not node else None
    wholes: list[Any] = [array.base if array.flags.c_contiguous else None, _array(named)]
    for one in wholes:
        alike = type(one) is type(array) and one.ndim and one.dtype == array.dtype and len(one) > len(array)
        if alike and math.prod(one.shape[1:]) == math.prod(array.shape[1:]):
            numbers = _numbers(one)
            return [] if numbers.lowest is None or numbers.highest is None else [numbers.lowest, numbers.highest]
    return []


def _held(value: Any) -> tuple[list[str], list[int]]:
    """The types of what an array of Python objects holds, the most frequent first, and the lengths of lists in it."""
    if type(value) in (list, tuple) and value and all(type(item) in (int, float) for item in value[:LARGEST_OBJECTS]):
        return [type(value[0]).__name__], []
    array = _array(value)
    if array is None or array.dtype.kind != "O":
        return [], []
    items = array.reshape(-1)[:LARGEST_OBJECTS].tolist()
    kinds: dict[str, int] = {}
    for item in items:
        name = type(item).__name__
        kinds[name] = kinds.get(name, 0) + 1
    lengths = [
        found.length if found.length is not None else (found.shape or [None])[0] for found in map(describe, items)
    ]
    whole = [length for length in lengths if length is not None]
    texts = "str" in kinds or "bytes" in kinds
    return sorted(kinds, key=lambda name: -kinds[name])[:4], [] if texts or len(whole) < len(items) else whole


class _Numbers(NamedTuple):
    """Of whole numbers; see `Party`."""

    lowest: int | None = None
    highest: int | None = None
    one_hot: bool = False
    classes: int | None = None
    first_class: int | None = None


def _numbers(value: Any) -> _Numbers:
    import numpy

    try:
        array = _array(value)
        if array is None or array.dtype.kind not in "iufb" or not 0 < array.size <= LARGEST_LOOK:
            return _Numbers()
        if array.dtype.kind == "f" and not bool((numpy.isfinite(array) & (array == array.round())).all()):
            return _Numbers()
        rows = array.ndim == 2 and array.shape[1] > 1
        one_hot = rows and bool(((array == 0) | (array == 1)).all()) and bool((array.sum(axis=1) == 1).all())
        used = numpy.flatnonzero(array.any(axis=0)) if one_hot else numpy.unique(array)
        return _Numbers(int(array.min()), int(array.max()), one_hot, len(used), int(used[0]))
    except Exception as error:
        if guard.is_the_users(error):
            raise
        guard.swallowed("looked_values.numbers", error)
        return _Numbers()


def _array(value: Any) -> Any:
    kind = type(value)
    if kind.__module__ == "numpy" and kind.__name__ == "ndarray":
        return value
    if kind.__name__ == "EagerTensor":
        return value.numpy()
    if kind.__module__.partition(".")[0] == "pandas" and kind.__name__ in ("Series", "DataFrame"):
        return value.to_numpy()
    return None
