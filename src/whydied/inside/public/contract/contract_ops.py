"""Contracts inside of graphs and of tf.data pipelines; runs in the user's process, while a graph is being made.

Invariant: the tensors that come out are those that went in, with the check as a control dependency. In a graph
the check is an Assert op, so that a function with one can be saved; XLA leaves Assert ops out. In a pipeline a batch
that breaks the contract is handed to Python, which names its rows.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

from whydied.inside.public import shape_text
from whydied.inside.public.contract import data_parts, row_checks
from whydied.inside.public.contract.declared_terms import Verdict
from whydied.inside.public.contract.row_checks import Check

MARK = "whydied.expect: "
"""What an Assert op begins with, so that the report knows it again."""


def is_symbolic(value: Any) -> bool:
    """A tensor of a graph, which has no value yet."""
    return hasattr(value, "op") and hasattr(value, "graph") and not hasattr(value, "numpy")


def values_of(tensor: Any) -> Any:
    """The dense values of a ragged or sparse tensor."""
    for name in ("flat_values", "values"):
        inner = getattr(tensor, name, None)
        if inner is not None and not callable(inner) and type(tensor).__name__ in ("RaggedTensor", "SparseTensor"):
            return inner
    return tensor


def bad_elements(check: Check, tensor: Any) -> Any:
    """A mask of the elements that break a term, or None where the type of the tensor rules that out."""
    import tensorflow as tf

    term = check.term
    if term.kind == "finite":
        return ~tf.math.is_finite(tensor) if tensor.dtype.is_floating else None
    if term.kind in ("range", "classes"):
        return _outside(term, tensor)
    if term.kind == "one-of":
        members = tf.constant(check.members)
        if tensor.dtype != members.dtype:
            if tensor.dtype == tf.string or members.dtype == tf.string:
                return tf.ones_like(tensor, tf.bool)
            tensor, members = tf.cast(tensor, tf.float64), tf.cast(members, tf.float64)
        return tf.reduce_all(tf.expand_dims(tensor, -1) != members, axis=-1)
    return None


def _outside(term: Any, tensor: Any) -> Any:
    import tensorflow as tf

    if tensor.dtype == tf.string or tensor.dtype == tf.bool:
        return None
    wide = tf.cast(tensor, tf.float64) if tensor.dtype.is_integer else tensor
    mask = tf.zeros_like(wide, tf.bool)
    if term.low is not None:
        mask |= wide < tf.cast(term.low, wide.dtype)
    if term.high is not None:
        high = tf.cast(term.high, wide.dtype)
        mask |= wide >= high if term.below else wide > high
    if term.kind == "classes" and wide.dtype.is_floating:
        mask |= tf.math.floor(wide) != wide
    return mask


def asserted(tensor: Any, checks: Sequence[Check], name: str, where: str, sizes: shape_text.Sizes) -> Any:
    """The same tensor, with an Assert op for each check. Raises ContractError where the trace already tells."""
    import tensorflow as tf

    found = []
    for check in checks:
        text = f"{MARK}{where}: {name}: expected {check.term.words}"
        if check.term.kind == "shape":
            found += _shape_asserts(tensor, check, text, sizes)
            continue
        values = values_of(tensor)
        mask = bad_elements(check, values)
        if mask is None:
            continue
        found.append(_assert(mask, values, text))
    with tf.control_dependencies(found):
        return tf.identity(tensor)


def _assert(mask: Any, values: Any, text: str) -> Any:
    """With the number of bad rows, the first of them and its value: of fixed shapes, because what XLA cannot compile
    must not be in the graph even where it leaves the Assert out."""
    import tensorflow as tf

    flat = tf.reshape(mask, [-1])
    rows = flat if mask.shape.rank in (0, 1) else tf.reduce_any(tf.reshape(mask, [tf.shape(mask)[0], -1]), axis=1)
    said = [text, "rows that break it:", tf.reduce_sum(tf.cast(rows, tf.int32)), "the first is row", tf.argmax(rows)]
    if values.dtype != tf.string:
        # One more element, so that there is something to fetch from a batch of no rows.
        padded = tf.concat([tf.reshape(values, [-1]), tf.zeros([1], values.dtype)], axis=0)
        said += ["with", tf.gather(padded, tf.argmax(flat))]
    return tf.raw_ops.Assert(condition=tf.logical_not(tf.reduce_any(flat)), data=said)


def _shape_asserts(tensor: Any, check: Check, text: str, sizes: shape_text.Sizes) -> list[Any]:
    """For the axes that the trace does not know: fixed sizes, and names that were bound to a known size."""
    import tensorflow as tf

    pattern = shape_text.parse(check.term.shape)
    rank = tensor.shape.rank
    if rank is None or pattern.rank is None or rank != pattern.rank:
        return []
    found = []
    for at, axis in enumerate(pattern.axes):
        wanted = axis.size if axis.size is not None else sizes.get(axis.name) if axis.name else None
        if isinstance(wanted, int) and tensor.shape[at] is None:
            size = tf.shape(tensor)[at]
            said = [text, f"axis {at} is", size]
            found.append(tf.raw_ops.Assert(condition=size == wanted, data=said))
    return found


def dataset(inner: Any, verdict: Verdict) -> Any:
    """A data set of the same elements, that raises at the first that breaks the contract."""
    import tensorflow as tf

    def passed(number: Any, element: Any) -> Any:
        parts = data_parts.parts_of(element)
        asked = [(check, part) for path, part in parts.items() for check in verdict.declared.checks(path)]
        masks = [bad_elements(check, values_of(part)) for check, part in asked]
        bad = [tf.reduce_any(mask) for mask in masks if mask is not None]

        def ask() -> Any:
            return tf.numpy_function(
                lambda number, *arrays: _judge(verdict, list(parts), number, arrays),
                [number, *(values_of(part) for part in parts.values())],
                tf.int32,
            )

        if any(_needs_python(check, part) for check, part in asked):
            told = ask()
        elif bad:
            told = tf.cond(tf.reduce_any(tf.stack(bad)), ask, lambda: tf.constant(0))
        else:
            return element
        with tf.control_dependencies([told]):
            return tf.nest.map_structure(tf.identity, element)

    return inner.enumerate().map(tf.autograph.experimental.do_not_convert(passed))


def _judge(verdict: Verdict, paths: list[data_parts.Path], number: Any, arrays: Sequence[Any]) -> Any:
    import numpy

    verdict.require(dict(zip(paths, arrays, strict=True)), int(number))
    return numpy.int32(0)


def _needs_python(check: Check, part: Any) -> bool:
    """Rows seen before, and sizes that only the run knows, are looked at in Python."""
    if check.term.kind == "unique":
        return True
    if check.term.kind != "shape":
        return False
    known = list(part.shape) if part.shape.rank is not None else None
    return not shape_text.is_decided(shape_text.parse(check.term.shape), known)


class Mismatch(NamedTuple):
    check: Check
    words: str


def static_mismatch(
    shape: Sequence[int | None] | None, dtype: Any, checks: Sequence[Check], sizes: shape_text.Sizes
) -> Mismatch | None:
    """The first check that a shape and a type alone break."""
    for check in checks:
        if check.term.kind == "shape" and shape is not None:
            wrong = shape_text.mismatch(shape_text.parse(check.term.shape), shape, sizes)
            if wrong is not None:
                return Mismatch(check, wrong)
        if check.term.kind == "dtype" and dtype is not None and not row_checks.same_dtype(check.term.dtype, dtype):
            return Mismatch(check, f"it is {dtype.name}")
    return None
