"""Small integer tensors, computed as the step would compute them: shapes, axes, indices, loop counters. Pure.

A value is the flat contents of a tensor; its shape is known apart. What cannot be computed is None, never a guess.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

from whydied.graph.op_table import Op, Shape, elements

Value = tuple[int, ...]
LARGEST = 256
Known = tuple[Shape, Value | None]
"""An input: its shape and, where it is small and computable, its contents."""

_ARITHMETIC: dict[str, Callable[[int, int], int]] = {
    "Add": lambda a, b: a + b,
    "AddV2": lambda a, b: a + b,
    "Sub": lambda a, b: a - b,
    "Mul": lambda a, b: a * b,
    "FloorDiv": lambda a, b: a // b,
    "TruncateDiv": lambda a, b: int(a / b),
    "FloorMod": lambda a, b: a % b,
    "Maximum": max,
    "Minimum": min,
    "Less": lambda a, b: int(a < b),
    "LessEqual": lambda a, b: int(a <= b),
    "Greater": lambda a, b: int(a > b),
    "GreaterEqual": lambda a, b: int(a >= b),
    "Equal": lambda a, b: int(a == b),
    "NotEqual": lambda a, b: int(a != b),
    "LogicalAnd": lambda a, b: int(bool(a) and bool(b)),
    "LogicalOr": lambda a, b: int(bool(a) or bool(b)),
}
_REDUCTIONS: dict[str, Callable[[Any], int]] = {
    "Prod": math.prod,
    "Sum": sum,
    "Max": max,
    "Min": min,
    "All": lambda values: int(all(values)),
    "Any": lambda values: int(any(values)),
}
_SAME = frozenset({"Identity", "Cast", "Reshape", "ExpandDims", "Squeeze", "StopGradient", "Snapshot", "EnsureShape"})


def compute(op: Op, given: list[Known], outputs: list[Shape]) -> list[Value | None]:
    """The contents of an op's outputs, where they are small integers that follow from its inputs."""
    nothing: list[Value | None] = [None] * len(outputs)
    if not outputs or any(elements(shape) > LARGEST for shape in outputs):
        return nothing
    try:
        found = _compute(op, given, outputs)
    except (ValueError, ZeroDivisionError, IndexError, OverflowError, TypeError):
        return nothing
    if found is None:
        return nothing
    return [
        value if value is not None and len(value) == elements(shape) else None
        for value, shape in zip(found, outputs, strict=False)
    ] + nothing[len(found) :]


def _compute(op: Op, given: list[Known], outputs: list[Shape]) -> list[Value | None] | None:
    kind = op.type
    if kind == "Const":
        return [op.value]
    if kind in ("Shape", "ShapeN"):
        return [shape for shape, _ in given]
    if kind == "Size":
        return [(elements(given[0][0]),)]
    if kind == "Rank":
        return [(len(given[0][0]),)]
    if kind == "ZerosLike":
        return [(0,) * elements(outputs[0])]
    if kind == "OnesLike":
        return [(1,) * elements(outputs[0])]
    values = [value for _, value in given]
    if any(value is None for value in values):
        return None
    return _from_values(op, [shape for shape, _ in given], [v for v in values if v is not None], outputs)


def _from_values(op: Op, shapes: list[Shape], values: list[Value], outputs: list[Shape]) -> list[Value | None] | None:
    kind = op.type
    if kind in _SAME:
        return [values[0]]
    if kind in _ARITHMETIC:
        return [_elementwise(_ARITHMETIC[kind], shapes, values, outputs[0])]
    if kind in _REDUCTIONS:
        # Along one axis of a matrix of integers: nothing that decides a shape does it.
        return [(_REDUCTIONS[kind](values[0]),)] if elements(outputs[0]) == 1 else None
    if kind == "Neg":
        return [tuple(-item for item in values[0])]
    if kind == "LogicalNot":
        return [tuple(int(not item) for item in values[0])]
    if kind in ("Pack", "ConcatV2") and max(len(shape) for shape in shapes) <= 1:
        rows = values[:-1] if kind == "ConcatV2" else values
        return [tuple(item for row in rows for item in row)]
    if kind == "StridedSlice":
        return [_slice(op, shapes[0], values, outputs[0])]
    if kind == "Range":
        return [tuple(range(values[0][0], values[1][0], values[2][0]))]
    if kind == "Fill":
        return [values[1] * elements(outputs[0])]
    if kind == "Tile" and len(shapes[0]) == 1:
        return [values[0] * values[1][0]]
    if kind in ("Gather", "GatherV2") and len(shapes[0]) == 1:
        return [tuple(values[0][index] for index in values[1])]
    if kind == "InvertPermutation":
        return [tuple(values[0].index(position) for position in range(len(values[0])))]
    if kind in ("Select", "SelectV2") and len(values[0]) == 1:
        chosen = values[1] if values[0][0] else values[2]
        return [chosen * elements(outputs[0]) if len(chosen) == 1 else chosen]
    if kind == "BroadcastArgs":
        return [_broadcast_args(values[0], values[1])]
    if kind == "BroadcastGradientArgs":
        return list(broadcast_gradient_args(values[0], values[1]))
    if kind == "Unpack" and len(shapes[0]) == 1:
        return [(item,) for item in values[0]]
    if kind == "ConcatOffset":
        axis, offset, found = values[0][0], 0, []
        for row in values[1:]:
            found.append(tuple(offset if position == axis else 0 for position in range(len(row))))
            offset += row[axis]
        return list(found)
    if kind == "DynamicStitch":
        return [_stitch(values)]
    if kind == "Slice" and len(shapes[0]) == 1:
        begin, count = values[1][0], values[2][0]
        return [values[0][begin:] if count < 0 else values[0][begin : begin + count]]
    return None


def _elementwise(function: Callable[[int, int], int], shapes: list[Shape], values: list[Value], output: Shape) -> Value:
    count = elements(output)
    left, right = values[0], values[1]
    if len(left) not in (1, count) or len(right) not in (1, count):
        raise ValueError("a broadcast of matrices")
    left = left * count if len(left) == 1 else left
    right = right * count if len(right) == 1 else right
    return tuple(function(a, b) for a, b in zip(left, right, strict=True))


def _slice(op: Op, shape: Shape, values: list[Value], output: Shape) -> Value | None:
    if len(shape) != 1 or len(values[1]) != 1:
        return None
    begin, end, step = (row[0] for row in values[1:4])
    masks = op.attributes
    if masks.get("shrink_axis_mask"):
        return (values[0][begin],)
    if masks.get("new_axis_mask") or masks.get("ellipsis_mask"):
        return values[0] if len(values[0]) == elements(output) else None
    return values[0][None if masks.get("begin_mask") else begin : None if masks.get("end_mask") else end : step]


def _broadcast_args(left: Value, right: Value) -> Value:
    size = max(len(left), len(right))
    left, right = (1,) * (size - len(left)) + left, (1,) * (size - len(right)) + right
    return tuple(b if a == 1 else a for a, b in zip(left, right, strict=True))


def broadcast_gradient_args(left: Value, right: Value) -> tuple[Value, Value]:
    """The axes over which the gradient of each side of a broadcast is summed."""
    size = max(len(left), len(right))
    a, b = (1,) * (size - len(left)) + left, (1,) * (size - len(right)) + right
    return (
        tuple(axis for axis in range(size) if a[axis] == 1 and (b[axis] != 1 or axis < size - len(left))),
        tuple(axis for axis in range(size) if b[axis] == 1 and (a[axis] != 1 or axis < size - len(right))),
    )


def _stitch(values: list[Value]) -> Value:
    half = len(values) // 2
    placed: dict[int, int] = {}
    for positions, items in zip(values[:half], values[half:], strict=True):
        placed.update(zip(positions, items, strict=True))
    return tuple(placed[position] for position in range(len(placed)))
