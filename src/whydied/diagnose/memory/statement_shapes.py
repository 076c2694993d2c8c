"""What a statement makes, with its bytes: by the source, and the arrays that the census knows. Pure."""

from __future__ import annotations

from math import prod
from typing import NamedTuple

from whydied.diagnose.case import Case
from whydied.diagnose.finding import Location
from whydied.diagnose.memory.memory_over_time import censuses
from whydied.graph.op_table import element_bytes
from whydied.source.arrays.array_shapes import Array, ArrayList, arrays_made


class Made(NamedTuple):
    """An array or tensor that a statement makes."""

    shape: list[int]
    dtype: str
    size_bytes: int


def made_by(case: Case, place: Location, at_least_bytes: float) -> Made | None:
    """What a statement makes, where its source gives a shape of at least so many bytes; of several the smallest."""
    found = [_sized(one) for one in arrays_made(case.sources, place, lambda name: in_census(case, name))]
    large = [one for one in found if one.size_bytes >= at_least_bytes]
    return min(large, key=lambda one: one.size_bytes, default=None)


def known_in(case: Case, name: str) -> Made | None:
    """An array or tensor that the last census that knows it found under a name."""
    found = in_census(case, name)
    return _sized(found) if isinstance(found, Array) else None


def worked_on(case: Case, since_s: float) -> Made | None:
    """The largest array that a library worked on for the program at a census since a moment: a statement that is not
    done has no name yet for what it makes."""
    for at, census in reversed(censuses(case)):
        if at < since_s:
            return None
        found = [
            Array([extent or 0 for extent in group.shape], group.dtype or "float32")
            for group in census.groups
            if group.kind in ("array", "tensor") and group.shape and group.count == 1
            if group.holders and all(holder.root == "library" for holder in group.holders)
        ]
        if found:
            return max(map(_sized, found), key=lambda one: one.size_bytes)
    return None


def in_census(case: Case, name: str) -> Array | ArrayList | None:
    """The same, or many of one shape where the name is that of a list."""
    for _, census in reversed(censuses(case)):
        for group in census.groups:
            holder = next((one for one in group.holders if one.path == name), None)
            if holder is None or group.shape is None:
                continue
            each = Array([extent or 0 for extent in group.shape], group.dtype or "float32")
            count = round(group.count * holder.share)
            return ArrayList(count, each) if count > 1 and (holder.length or 0) > 1 else each
        for views in census.views:
            if views.path == name:
                return ArrayList(views.number, Array(views.shape, views.dtype))
    return None


def _sized(array: Array) -> Made:
    return Made(*array, prod(array.shape) * (element_bytes(array.dtype) or 4))
