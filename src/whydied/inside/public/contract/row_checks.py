"""Which elements of a block of rows break a term, and whether an array has the shape and the sort of values that one
asks for; runs in the user's process, after NumPy was imported.

Invariant: nothing is raised for odd values and no warning is issued, whatever the program set with
`numpy.seterr`. The least and the greatest element are looked at first: of good data nothing else is computed.
"""

from __future__ import annotations

from typing import Any, NamedTuple

from whydied.inside.public import shape_text
from whydied.records import Term

NUMERIC_KINDS = "biuf"
_SUM_TOLERANCE = 1e-3
_TEXT = "OSU"


class Check(NamedTuple):
    """A term with what NumPy needs to look for it: the allowed values themselves, for "one-of"."""

    term: Term
    members: Any = None


class Extremes(NamedTuple):
    """Of a block; NaN in either where the block has one. None where the elements have no order."""

    least: float | None
    greatest: float | None

    @property
    def are_finite(self) -> bool:
        return self.least is not None and self.least - self.least == 0 and self.greatest - self.greatest == 0  # type: ignore[operator]


def plain(block: Any) -> Any:
    """A block in a type that NumPy itself knows: half types of other libraries become float32."""
    if block.dtype.kind == "V" and block.dtype.names is None and "float" in block.dtype.name:
        return block.astype("float32")
    return block


def extremes_of(block: Any) -> Extremes:
    import numpy

    if block.dtype.kind not in NUMERIC_KINDS or not block.size:
        return Extremes(None, None)
    with numpy.errstate(all="ignore"):
        return Extremes(float(block.min()), float(block.max()))


def bad_elements(check: Check, block: Any, extremes: Extremes) -> Any:
    """A mask of the shape of the block, of its rows alone where a row is good or bad as a whole, or None where all is
    good."""
    import numpy

    kind = check.term.kind
    with numpy.errstate(all="ignore"):
        if kind == "finite":
            return _not_finite(block, extremes)
        if kind in ("range", "classes", "vocabulary"):
            return _outside(check.term, block, extremes)
        if kind == "one-hot":
            return _not_one_hot(block)
        if kind == "one-of":
            return _any(~numpy.isin(block, check.members))
    return None


def _not_finite(block: Any, extremes: Extremes) -> Any:
    import numpy

    if block.dtype.kind not in "fc" or extremes.are_finite:
        return None
    return _any(~numpy.isfinite(block))


def _outside(term: Term, block: Any, extremes: Extremes) -> Any:
    """Not a number is the matter of "finite"."""
    import numpy

    least, greatest = extremes
    if least is None or greatest is None:
        return None
    inside = extremes.are_finite and (term.low is None or least >= term.low)
    inside = inside and (term.high is None or (greatest < term.high if term.below else greatest <= term.high))
    whole = term.kind == "classes" and term.by == "declared" and block.dtype.kind == "f"
    if inside and not whole:
        return None
    mask = numpy.zeros(block.shape, bool)
    if term.low is not None:
        mask |= block < term.low
    if term.high is not None:
        mask |= block >= term.high if term.below else block > term.high
    if whole:
        mask |= numpy.floor(block) != block
    for value in term.spared:
        mask &= block != value
    return _any(mask)


def _not_one_hot(block: Any) -> Any:
    """Rows that do not sum to one over their last axis."""
    if block.dtype.kind not in NUMERIC_KINDS or block.ndim < 2:
        return None
    off = abs(block.sum(axis=-1, dtype="float64") - 1.0) > _SUM_TOLERANCE
    return _any(off.reshape(off.shape[0], -1).any(axis=1))


def _any(mask: Any) -> Any:
    return mask if mask.any() else None


def mismatch(term: Term, array: Any, sizes: shape_text.Sizes | None = None) -> str | None:
    """What is wrong, in words, or None. `sizes` are those of the names that other shapes have bound."""
    if term.kind == "shape":
        return _shape_mismatch(term, tuple(array.shape), sizes)
    if term.kind == "dtype":
        return _dtype_mismatch(term, array)
    return None


def _shape_mismatch(term: Term, shape: tuple[int, ...], sizes: shape_text.Sizes | None) -> str | None:
    pattern = shape_text.parse(term.shape)
    wrong = shape_text.mismatch(pattern, shape, sizes)
    if wrong is None or term.by == "declared":
        return wrong
    # Keras adds and drops a last axis of extent 1 by itself.
    for other in ((*shape, 1), shape[:-1] if shape[-1:] == (1,) else None):
        if other is not None and shape_text.mismatch(pattern, other) is None:
            return None
    return wrong


def _dtype_mismatch(term: Term, array: Any) -> str | None:
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
