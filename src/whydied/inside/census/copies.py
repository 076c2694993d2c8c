"""Finds arrays and tensors with the same contents in different memory; runs in the user's process.

Invariant: a few dozen values of each are read where they lie, nothing is copied whole. Arrays whose sampled
values are all the same number are not compared: two arrays of zeros are no copies. A float64 array and its float32
twin count.
"""

from __future__ import annotations

import sys
from typing import Any, NamedTuple

from whydied.inside.census import array_sizes, holder_paths
from whydied.inside.census.object_counts import Key, Large
from whydied.inside.guest import guard

VALUES = 48
COMPARED = 64
LARGEST_NAMES = 8
_NUMERIC = frozenset({"float64", "float32", "float16", "int64", "int32", "int16", "int8", "uint8", "uint16"})


class Copy(NamedTuple):
    """A member of a group that has the contents of `original`."""

    original: Large
    member: Large


def find(large: list[Large]) -> dict[Key, list[Copy]]:
    """For each group its members that have the contents of another object. The first stays the original: among equals
    the smaller element type, so that a float64 copy points at its float32."""
    ranked = sorted(large, key=lambda one: -one.size_bytes)[:COMPARED]
    ranked.sort(key=lambda one: one.size_bytes)
    originals: dict[tuple[int, bytes], Large] = {}
    found: dict[Key, list[Copy]] = {}
    for one in ranked:
        print_ = _fingerprint(one)
        if print_ is None:
            continue
        first = originals.setdefault(print_, one)
        if first is not one:
            found.setdefault(one.key, []).append(Copy(first, one))
    return found


def named(found: list[Copy]) -> tuple[list[str], list[str]]:
    """The members as the source writes them, and for each its original; the same name may stand for several."""
    told = found[:LARGEST_NAMES]
    return [_path(copy.member) for copy in told], [described(copy.original) for copy in told]


def _path(one: Large) -> str:
    return holder_paths.path(one.node) if one.node is not None else ""


def described(one: Large) -> str:
    kind, _, shape, dtype = one.key
    what = f"{dtype} {kind} {list(shape or ())}"
    return f"{holder_paths.path(one.node)} ({what})" if one.node is not None else what


@guard.otherwise(None)
def _fingerprint(one: Large) -> tuple[int, bytes] | None:
    values = array_sizes.contents(one.thing, one.facts) if one.key[3] in _NUMERIC else None
    return _sampled(values) if values is not None else None


def _sampled(values: Any) -> tuple[int, bytes] | None:
    numpy: Any = sys.modules["numpy"]
    plain = numpy.ndarray.view(values, numpy.ndarray)
    if not plain.flags.c_contiguous:
        return None
    size = plain.size
    flat = plain.reshape(-1)
    # A stride that is odd does not fall into step with rows of even width.
    with numpy.errstate(all="ignore"):
        # A value beyond float32 would be a warning in the user's output.
        taken = flat[:: max(1, size // VALUES) | 1][:VALUES].astype(numpy.float32)
    if not (taken != taken[0]).any():
        return None
    return size, taken.tobytes()
