"""Finds arrays and tensors with the same contents in different memory; runs in the user's process.

What always holds: a few dozen values of each are read where they lie, nothing is copied whole. Arrays whose sampled
values are all the same number are not compared: two arrays of zeros are no copies. A float64 array and its float32
twin count.
"""

from __future__ import annotations

import sys
from typing import Any, NamedTuple

from whydied.inside import measures, paths
from whydied.inside.tally import Key, Large

VALUES = 48
COMPARED = 64
LARGEST_NAMES = 8
_NUMERIC = frozenset({"float64", "float32", "float16", "int64", "int32", "int16", "int8", "uint8", "uint16"})


class Copies(NamedTuple):
    """The members of a group that have the contents of `original`."""

    original: Large
    members: list[Large]


def find(large: list[Large]) -> dict[Key, Copies]:
    """For each group that has members with the contents of another one: that other one, and them. The first stays the
    original: among equals the smaller element type, so that a float64 copy points at its float32."""
    ranked = sorted(large, key=lambda one: -one.size_bytes)[:COMPARED]
    ranked.sort(key=lambda one: one.size_bytes)
    originals: dict[tuple[int, bytes], Large] = {}
    found: dict[Key, Copies] = {}
    for one in ranked:
        print_ = _fingerprint(one)
        if print_ is None:
            continue
        first = originals.setdefault(print_, one)
        if first is not one:
            known = found.setdefault(one.key, Copies(first, []))
            if known.original is first:
                known.members.append(one)
    return found


def named(found: Copies) -> list[str]:
    """The members as the source writes them; the same name may stand for several."""
    return [paths.path(one.node) if one.node is not None else "" for one in found.members[:LARGEST_NAMES]]


def described(one: Large) -> str:
    kind, _, shape, dtype = one.key
    what = f"{dtype} {kind} {list(shape or ())}"
    return f"{paths.path(one.node)} ({what})" if one.node is not None else what


def _fingerprint(one: Large) -> tuple[int, bytes] | None:
    if one.key[3] not in _NUMERIC:
        return None
    try:
        values = measures.contents(one.thing, one.sort)
        return _sampled(values) if values is not None else None
    except Exception:
        return None


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
