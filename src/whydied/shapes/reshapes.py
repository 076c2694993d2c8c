"""A reshape that does not fit: which of its sizes would have to be another. Pure."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from whydied.shapes.shape import Shape, count


class OtherSize(NamedTuple):
    """Size number `at` would have to be `size`, and the result would be `shape`."""

    at: int
    size: int
    shape: Shape


def other_sizes(given: Sequence[int | None], asked: Sequence[int]) -> list[OtherSize]:
    """The sizes of which one alone makes a reshape fit. The first axis of `given` may be unknown, or stay open (-1):
    then it is the batch, and each of its rows keeps its values."""
    rows, inner = (given[0], count(given[1:])) if given else (None, None)
    if -1 in asked and asked.index(-1) == 0:
        total = inner
    else:
        total = count(given)
    if total is None or (rows is None and total != inner):
        return []
    found = []
    for at, size in enumerate(asked):
        others = count([one for n, one in enumerate(asked) if n != at and one != -1])
        if size == -1 or not others or total % others or total // others == size:
            continue
        sizes = [total // others if n == at else one for n, one in enumerate(asked)]
        shape: Shape = [rows if one == -1 else one for one in sizes]
        found.append(OtherSize(at, total // others, shape))
    return found
