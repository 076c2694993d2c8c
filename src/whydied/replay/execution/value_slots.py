"""Values on their way through a step; used in the process of the replay."""

from __future__ import annotations

from typing import Any, NamedTuple

from whydied.replay.execution.execution_trace import Ref
from whydied.replay.execution.op_kernels import Kernels
from whydied.replay.execution.variable_values import Cell


class Slot:
    """A value and where it came from. `cell` is set for the handle of a variable, `reason` where the value is missing;
    `dead` is a branch not taken in a graph of TensorFlow 1."""

    __slots__ = ("bad", "cell", "dead", "is_ref", "reason", "ref", "stack", "value")

    def __init__(self, ref: Ref, value: Any, bad: bool = False, reason: str = "") -> None:
        self.ref = ref
        self.value = value
        self.bad = bad
        self.reason = reason
        self.cell: Cell | None = None
        self.is_ref = False
        self.dead = False
        self.stack: list[Slot] | None = None


def missing(reason: str, count: int) -> list[Slot]:
    """Values that cannot be had."""
    return [Slot(Ref(0, 0), None, reason=reason) for _ in range(count)]


def dead() -> Slot:
    slot = Slot(Ref(0, 0), None)
    slot.dead = True
    return slot


class FloatTypes(NamedTuple):
    """`kinds` are those whose elements can be bad, `opaque` those that may hold such and cannot be looked into."""

    kinds: frozenset[Any]
    opaque: frozenset[Any]


def float_types(kernels: Kernels) -> FloatTypes:
    types = kernels.tensorflow.dtypes
    names = ("float16", "bfloat16", "float32", "float64", "complex64", "complex128", "float8_e5m2", "float8_e4m3fn")
    kinds = {getattr(types, name) for name in names if hasattr(types, name)}
    return FloatTypes(frozenset(kinds), frozenset({types.variant}))
