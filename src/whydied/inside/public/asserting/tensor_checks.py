"""What an assertion asks of a tensor, for values that are there and for graphs; runs in the user's process.

Invariant: nothing is changed or kept. What shape and type decide is decided before a graph runs; the rest
becomes ops that XLA can compile: no strings that are made at run time, no Python.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

from whydied import words
from whydied.inside.public import shape_text

MOST_SHOWN = 8
_FLOATS = ("float", "bfloat", "half", "complex")

Shape = Sequence["int | None"] | None
"""None where not even the rank is known."""


class Bad(NamedTuple):
    """What is wrong with values that are there. The tuples hold the first few, `number` and `row_count` count
    all."""

    actual: str
    number: int = 0
    positions: tuple[tuple[int, ...], ...] = ()
    values: tuple[str, ...] = ()
    rows: tuple[int, ...] = ()
    row_count: int = 0


class Check:
    """One assertion. `function` is its name in the public API, `of_elements` whether it looks at single elements: of a
    sparse or ragged tensor these are its values."""

    function = ""
    expected = ""
    of_elements = False

    def of_shape(self, shape: Shape, dtype: str, item_bytes: int) -> str | None:
        """What shape and type tell to be wrong, in words."""
        return None

    def is_decided(self, shape: Shape, dtype: str) -> bool:
        """Whether shape and type leave nothing to look at."""
        return True

    def of_array(self, array: Any) -> Bad | None:
        wrong = self.of_shape(array.shape, str(array.dtype), array.dtype.itemsize)
        return Bad(wrong) if wrong is not None else None

    def in_graph(self, tf: Any, tensor: Any) -> tuple[Any, Callable[[], list[Any]]]:
        """A boolean tensor, and a function of no arguments that gives what is said where it is false."""
        raise NotImplementedError


class _Elements(Check):
    of_elements = True

    def good(self, numpy: Any, array: Any) -> Any:
        raise NotImplementedError

    def good_in_graph(self, tf: Any, tensor: Any) -> Any:
        raise NotImplementedError

    def of_array(self, array: Any) -> Bad | None:
        import numpy

        if self.is_decided(array.shape, str(array.dtype)):
            return None
        with numpy.errstate(all="ignore"):
            good = self.good(numpy, array)
        return None if bool(numpy.all(good)) else _bad_elements(numpy, array, ~numpy.asarray(good), self.wrong)

    wrong = ""

    def in_graph(self, tf: Any, tensor: Any) -> tuple[Any, Callable[[], list[Any]]]:
        good = self.good_in_graph(tf, tensor)
        return tf.reduce_all(good), lambda: _told_in_graph(tf, tensor, tf.logical_not(good))


class Finite(_Elements):
    function = "assert_finite"
    expected = "every value finite"
    wrong = "not finite"

    def is_decided(self, shape: Shape, dtype: str) -> bool:
        return not dtype.startswith(_FLOATS)

    def good(self, numpy: Any, array: Any) -> Any:
        return numpy.isfinite(array)

    def good_in_graph(self, tf: Any, tensor: Any) -> Any:
        if tensor.dtype.is_complex:
            return tf.math.is_finite(tf.math.real(tensor)) & tf.math.is_finite(tf.math.imag(tensor))
        return tf.math.is_finite(tensor)


class Range(_Elements):
    function = "assert_range"

    def __init__(self, low: float | None, high: float | None) -> None:
        if low is None and high is None:
            raise ValueError("assert_range needs a lower or an upper bound")
        if low is not None and high is not None and not low <= high:
            raise ValueError(f"assert_range: the lower bound {low} is above the upper one, {high}")
        self.low, self.high = low, high
        if low is None or high is None:
            self.expected = f"every value at most {high}" if low is None else f"every value at least {low}"
        else:
            self.expected = f"every value from {low} to {high}"
        self.wrong = "outside"

    def of_shape(self, shape: Shape, dtype: str, item_bytes: int) -> str | None:
        if dtype in ("string", "resource", "variant", "object") or dtype.startswith(("complex", "<U", "|S")):
            raise TypeError(f"{self.function} cannot order values of type {dtype}")
        return None

    def is_decided(self, shape: Shape, dtype: str) -> bool:
        return False

    def good(self, numpy: Any, array: Any) -> Any:
        array = array if array.dtype.kind == "f" or not array.dtype.isbuiltin else array.astype("float64")
        # NaN is in no range.
        above = array >= self.low if self.low is not None else array == array
        return above if self.high is None else above & (array <= self.high)

    def good_in_graph(self, tf: Any, tensor: Any) -> Any:
        tensor = tensor if tensor.dtype.is_floating else tf.cast(tensor, tf.float64)
        above = tensor >= tf.cast(self.low, tensor.dtype) if self.low is not None else tf.equal(tensor, tensor)
        return above if self.high is None else above & (tensor <= tf.cast(self.high, tensor.dtype))


class ShapeIs(Check):
    function = "assert_shape"

    def __init__(self, shape: str | Sequence[object]) -> None:
        self.pattern = shape_text.parse(shape)
        self.expected = f"shape ({self.pattern.text})"

    def of_shape(self, shape: Shape, dtype: str, item_bytes: int) -> str | None:
        if shape is None:
            return None
        wrong = shape_text.mismatch(self.pattern, shape)
        return f"shape {shown_shape(shape)}: {wrong}" if wrong is not None else None

    def is_decided(self, shape: Shape, dtype: str) -> bool:
        return shape_text.is_decided(self.pattern, shape)

    def in_graph(self, tf: Any, tensor: Any) -> tuple[Any, Callable[[], list[Any]]]:
        shape = tf.shape(tensor)
        return _shape_fits(tf, self.pattern, shape), lambda: ["has shape", shape]


class LimitBytes(Check):
    function = "limit_bytes"

    def __init__(self, most: int) -> None:
        self.most = most
        self.expected = f"at most {words.size(most)}"

    def of_shape(self, shape: Shape, dtype: str, item_bytes: int) -> str | None:
        if dtype in ("string", "object", "variant", "resource"):
            raise TypeError(f"{self.function} cannot tell the size of values of type {dtype}")
        if shape is None:
            return None
        # An axis that is not known yet may be 0, then nothing is certain.
        if any(size is None for size in shape):
            return None
        size = math.prod(size or 0 for size in shape) * item_bytes
        return f"{words.size(size)}, shape {shown_shape(shape)}" if size > self.most else None

    def is_decided(self, shape: Shape, dtype: str) -> bool:
        return shape is not None and None not in shape

    def in_graph(self, tf: Any, tensor: Any) -> tuple[Any, Callable[[], list[Any]]]:
        size = tf.size(tensor, out_type=tf.int64) * tensor.dtype.size
        return size <= self.most, lambda: ["has", size, "bytes, shape", tf.shape(tensor)]


class LimitDims(Check):
    function = "limit_dims"

    def __init__(self, limit: int | Sequence[int | None]) -> None:
        self.axes: tuple[int | None, ...] | None = None
        if isinstance(limit, int):
            self.rank = limit
            self.expected = f"at most {words.count(limit, 'axis', 'axes')}"
        else:
            self.axes = tuple(limit)
            self.rank = len(self.axes)
            self.expected = f"no axis longer than {shown_shape(self.axes)}"

    def of_shape(self, shape: Shape, dtype: str, item_bytes: int) -> str | None:
        if shape is None:
            return None
        if len(shape) > self.rank:
            return f"{words.count(len(shape), 'axis', 'axes')}, shape {shown_shape(shape)}"
        for at, (size, most) in enumerate(zip(shape, self.axes or (), strict=False)):
            if size is not None and most is not None and size > most:
                return f"{size} along axis {at}, shape {shown_shape(shape)}"
        return None

    def is_decided(self, shape: Shape, dtype: str) -> bool:
        if shape is None:
            return False
        return all(size is not None or most is None for size, most in zip(shape, self.axes or (), strict=False))

    def in_graph(self, tf: Any, tensor: Any) -> tuple[Any, Callable[[], list[Any]]]:
        shape = tf.shape(tensor)
        good = tf.size(shape) <= self.rank
        if self.axes is not None:
            largest = tf.constant([2**31 - 1 if most is None else most for most in self.axes], tf.int32)
            # A rank above the limit is wrong already; the axes are cut to what can be compared.
            both = tf.minimum(tf.size(shape), self.rank)
            good = good & tf.reduce_all(shape[:both] <= largest[:both])
        return good, lambda: ["has shape", shape]


def _shape_fits(tf: Any, pattern: shape_text.Pattern, shape: Any) -> Any:
    """Whether a shape fits, as ops. Axes before a part of any length count from the front, those after it from the
    back; a shape that is too short is filled up with -1, which no axis is."""
    axes = pattern.axes
    many = next((at for at, axis in enumerate(axes) if axis.many), None)
    fewest = len(axes) - (many is not None)
    rank = tf.size(shape)
    good = tf.equal(rank, fewest) if many is None else rank >= fewest
    filled = tf.pad(shape, [[fewest, fewest]], constant_values=-1)
    bound: dict[str, Any] = {}
    for at, axis in enumerate(axes):
        if axis.many:
            continue
        from_front = many is None or at < many
        size = filled[fewest + at] if from_front else filled[fewest + rank - (len(axes) - at)]
        if axis.size is not None:
            good = good & tf.equal(size, axis.size)
        elif axis.name is not None:
            good = good & tf.equal(size, bound.setdefault(axis.name, size))
    return good


def _bad_elements(numpy: Any, array: Any, bad: Any, wrong: str) -> Bad:
    at = numpy.argwhere(bad)
    count, rank = len(at), array.ndim
    positions = tuple(tuple(int(index) for index in one) for one in at[:MOST_SHOWN])
    values = tuple(str(array[one]) for one in positions)
    rows = numpy.unique(at[:, 0]) if rank > 1 else numpy.empty(0, "int64")
    kinds = _kinds(numpy, array[bad])
    told = f"{count:,} of {array.size:,} values {wrong}{f' ({kinds})' if kinds else ''}"
    if len(rows):
        told += f" in {words.count(len(rows), 'row')}, {', '.join(map(str, rows[:MOST_SHOWN]))}"
        told += ", …" if len(rows) > MOST_SHOWN else ""
    shown = ", ".join(f"{list(one)} = {value}" if one else value for one, value in zip(positions, values, strict=True))
    return Bad(
        f"{told}; first: {shown}",
        count,
        positions,
        values,
        tuple(int(row) for row in rows[:MOST_SHOWN]),
        len(rows),
    )


def _kinds(numpy: Any, values: Any) -> str:
    if values.dtype.kind in "biu":
        return ""
    nan = int(numpy.isnan(values).sum())
    infinite = int(numpy.isinf(values).sum())
    return ", ".join(f"{number:,} {kind}" for number, kind in ((nan, "NaN"), (infinite, "infinite")) if number)


def _told_in_graph(tf: Any, tensor: Any, bad: Any) -> list[Any]:
    """What Assert prints of bad elements: how many, the positions and values of the first ones."""
    flat = tf.cast(tf.reshape(bad, [-1]), tf.int32)
    size, count = tf.size(flat), tf.reduce_sum(flat)
    # The largest ones of equal value come in their order, so these are the first.
    _, at = tf.math.top_k(flat, k=tf.minimum(MOST_SHOWN, size))
    at = at[: tf.minimum(count, MOST_SHOWN)]
    shape = tf.shape(tensor)
    strides = tf.math.cumprod(shape, exclusive=True, reverse=True)
    positions = (at[:, None] // strides[None, :]) % shape[None, :]
    return [
        "has",
        count,
        "bad values of",
        size,
        "; the first at",
        positions,
        "are",
        tf.gather(tf.reshape(tensor, [-1]), at),
    ]


def shown_shape(shape: Shape) -> str:
    return "unknown" if shape is None else "(" + ", ".join(str(size) for size in shape) + ")"
