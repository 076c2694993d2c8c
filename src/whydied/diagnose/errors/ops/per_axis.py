"""Ops that take a list with an entry for each axis of a tensor, and got one of another length. Pure."""

from __future__ import annotations

from whydied.diagnose.errors.framework_error import axes_words, name_of, shape_words
from whydied.diagnose.errors.misfit import Misfit

_TAKE = {"Transpose": "axes", "Pad": "paddings", "PadV2": "paddings", "MirrorPad": "paddings", "Tile": "multiples"}
"""Ops of this kind, with what TensorFlow calls the list."""


def per_axis_words(found: Misfit) -> str:
    """`a` (None, 9, 4) has 3 axes, and the list of axes `(0, 1)` has 2 entries; empty for other ops."""
    kind, first, second = _TAKE.get(found.error.facts.op, ""), found.first, found.second
    entries = second.shape[0] if second is not None and second.shape else None
    if not kind or first is None or first.shape is None or second is None or entries in (None, len(first.shape)):
        return ""
    has = f"{name_of(first, 'the tensor')} {shape_words(first.shape)} has {axes_words(len(first.shape))}"
    many = "entry" if entries == 1 else "entries"
    return f"{has}, but the {kind} {name_of(second, 'that it is given')} have {entries} {many}, one for each axis"
