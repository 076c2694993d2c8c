"""Assertions on tensors that name the source: `whydied.assert_finite` and its kin; runs in the user's process, with or
without a recording.

Invariant: each returns its tensor with the check wired in as a control dependency, in eager code, in
`tf.function` and in graphs of TensorFlow 1. Values and gradients are as without it. A check that fails raises
`whydied.errors.CheckFailed`, an AssertionError, where the values are there or the graph is being made; a graph that
runs raises TensorFlow's InvalidArgumentError with the same text. XLA leaves out what needs values.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from typing import TypeVar

from whydied import config
from whydied.inside.public.asserting.check_ops import Asking, checked
from whydied.inside.public.asserting.tensor_checks import Finite, LimitBytes, LimitDims, Range, ShapeIs

_T = TypeVar("_T")
_FINITE = Finite()


def assert_finite(x: _T, name: str | None = None) -> _T:
    """`x`, where no value in it is NaN or infinite. A list or dict of tensors, such as gradients, is looked at one by
    one; None in it passes."""
    return checked(x, Asking(_FINITE, name, sys._getframe(1)))  # type: ignore[no-any-return]


def assert_shape(x: _T, shape: str | Sequence[object], name: str | None = None) -> _T:
    """`x`, where its shape is the one that is said: "batch 28 28 1" or (None, 28, 28, 1). A name stands for any size,
    the same each time; `_` for any one axis; `...` and `*name` for any number of axes."""
    return checked(x, Asking(ShapeIs(shape), name, sys._getframe(1)))  # type: ignore[no-any-return]


def assert_range(x: _T, low: float | None = None, high: float | None = None, name: str | None = None) -> _T:
    """`x`, where every value in it is at least `low` and at most `high`. NaN is in no range."""
    return checked(x, Asking(Range(low, high), name, sys._getframe(1)))  # type: ignore[no-any-return]


def limit_bytes(x: _T, limit: int | str, name: str | None = None) -> _T:
    """`x`, where its values take at most so many bytes: 1000000 or "1GB"."""
    most = config.parse_bytes(limit) if isinstance(limit, str) else limit
    return checked(x, Asking(LimitBytes(most), name, sys._getframe(1)))  # type: ignore[no-any-return]


def limit_dims(x: _T, limit: int | Sequence[int | None], name: str | None = None) -> _T:
    """`x`, where it has at most so many axes, or, with a list, where no axis is longer than its entry (None: any) and
    there are no more axes than entries."""
    return checked(x, Asking(LimitDims(limit), name, sys._getframe(1)))  # type: ignore[no-any-return]


for _function in (assert_finite, assert_shape, assert_range, limit_bytes, limit_dims):
    # Read by AutoGraph, which would otherwise rewrite our code as it does the user's.
    vars(_function)["autograph_info__"] = True
