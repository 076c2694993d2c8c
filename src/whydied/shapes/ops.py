"""Which shapes an op of TensorFlow accepts for its operands, and what comes out. Pure."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from whydied.shapes.shape import Refusal, Shape, agree, broadcast

PRODUCTS = ("MatMul", "BatchMatMul", "BatchMatMulV2", "BatchMatMulV3", "SparseMatMul")
STACKED = ("ConcatV2", "Concat", "Pack")


class Op(NamedTuple):
    """`flips` says which sides of a product are transposed; `axis` is that of a concatenation; `elementwise` that the
    op takes two operands that are broadcast."""

    type: str
    flips: tuple[bool, bool] = (False, False)
    axis: int | None = None
    elementwise: bool = False


def result(op: Op, shapes: Sequence[Shape]) -> Shape | Refusal | None:
    """What comes out, a refusal, or None where the rule of the op is not known."""
    if op.elementwise and len(shapes) == 2:
        return broadcast(*shapes)
    if op.type in PRODUCTS and len(shapes) == 2:
        return _product(op, *shapes)
    if op.type in STACKED and shapes:
        return _stacked(op, shapes)
    return None


def _product(op: Op, first: Shape, second: Shape) -> Shape | Refusal:
    if len(first) < 2 or len(second) < 2:
        return Refusal("a matrix product takes matrices")
    rows, inner = (first[-1], first[-2]) if op.flips[0] else (first[-2], first[-1])
    other, columns = (second[-1], second[-2]) if op.flips[1] else (second[-2], second[-1])
    if not agree(inner, other):
        return Refusal(f"{inner} and {other} must be equal")
    if op.type == "MatMul" and len(first) != len(second):
        return Refusal("both sides need the same number of axes")
    batch = broadcast(first[:-2], second[:-2])
    return batch if isinstance(batch, Refusal) else [*batch, rows, columns]


def _stacked(op: Op, shapes: Sequence[Shape]) -> Shape | Refusal:
    first = shapes[0]
    along = op.axis % len(first) if op.type != "Pack" and op.axis is not None and first else None
    total: int | None = 0
    for shape in shapes:
        if len(shape) != len(first):
            return Refusal(f"{len(first)} and {len(shape)} axes")
        for axis, (one, other) in enumerate(zip(first, shape, strict=True)):
            if axis != along and not agree(one, other):
                return Refusal(f"axis {axis} is {one} and {other}")
        size = shape[along] if along is not None else None
        total = None if size is None or total is None else total + size
    if along is None:
        return [len(shapes), *first]
    return [*first[:along], total, *first[along + 1 :]]
