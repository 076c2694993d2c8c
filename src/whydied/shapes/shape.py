"""Shapes as lists of sizes. Pure."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import NamedTuple

Shape = list[int | None]
Axes = tuple[tuple[int, int, int | None, int | None], ...]
"""Axes of two shapes that do not fit: the axis of each, and the size of each."""


class Refusal(NamedTuple):
    """Why a shape is not accepted, in a few words."""

    why: str


def count(shape: Sequence[int | None]) -> int | None:
    """The number of values; None where a size is not known."""
    sizes = [size for size in shape if size is not None]
    return math.prod(sizes) if len(sizes) == len(shape) else None


def agree(one: int | None, other: int | None) -> bool:
    """Whether two sizes can be the same."""
    return one is None or other is None or one == other


def conforms(shape: Sequence[int | None], wanted: Sequence[int | None]) -> bool:
    """Whether a shape can be one that is wanted."""
    return len(shape) == len(wanted) and all(agree(*pair) for pair in zip(shape, wanted, strict=True))


def broadcast(first: Sequence[int | None], second: Sequence[int | None]) -> Shape | Refusal:
    rank = max(len(first), len(second))
    result: Shape = []
    for one, other in zip(_filled(first, rank), _filled(second, rank), strict=True):
        if not agree(one, other) and 1 not in (one, other):
            return Refusal(f"{one} and {other} cannot be broadcast")
        result.append(other if one == 1 else one if other == 1 or one is not None else other)
    return result


def _filled(shape: Sequence[int | None], rank: int) -> Shape:
    return [*[1] * (rank - len(shape)), *shape]


def differing(first: Sequence[int | None], second: Sequence[int | None]) -> Axes:
    """The axes of two shapes of one rank whose known sizes differ."""
    if len(first) != len(second):
        return ()
    return tuple(
        (at, at, one, other)
        for at, (one, other) in enumerate(zip(first, second, strict=True))
        if one is not None and other is not None and one != other
    )


def unbroadcast(first: Sequence[int | None], second: Sequence[int | None]) -> Axes:
    """The axes at which two shapes cannot be broadcast, each counted in its own shape."""
    found = []
    for back in range(1, min(len(first), len(second)) + 1):
        one, other = first[-back], second[-back]
        if one is not None and other is not None and one != other and 1 not in (one, other):
            found.append((len(first) - back, len(second) - back, one, other))
    return tuple(reversed(found))
