"""Shapes of convolutions and pooling, forward and backward. Pure; used by `whydied.graph.op_shapes`."""

from __future__ import annotations

from typing import Any

from whydied.graph.integers import Value
from whydied.graph.op_table import Op, Shape


def convolved(op: Op, image: Shape, filters: Shape, depthwise: bool) -> Shape:
    """The output of a convolution; the filter is height, width (…), in, out, or multiplier for a depthwise one."""
    rank = len(image) - 2
    spatial, channel = axes(op, len(image))
    strides, dilations = _list(op, "strides", len(image)), _list(op, "dilations", len(image))
    result = list(image)
    for number in range(rank):
        axis = spatial[number]
        size = (filters[number] - 1) * dilations[axis] + 1
        result[axis] = _window(op, image[axis], size, strides[axis], axis)
    result[channel] = image[channel] * filters[-1] if depthwise else filters[-1]
    return tuple(result)


def pooled(op: Op, image: Shape) -> Shape:
    sizes, strides = _list(op, "ksize", len(image)), _list(op, "strides", len(image))
    return tuple(_window(op, dim, sizes[axis], strides[axis], axis) for axis, dim in enumerate(image))


def axes(op: Op, rank: int) -> tuple[list[int], int]:
    """The spatial axes and the channel axis."""
    if str(op.attributes.get("data_format", "")).startswith("NC"):
        return list(range(2, rank)), 1
    return list(range(1, rank - 1)), rank - 1


def deconvolved(sizes: Value, gradient: Shape) -> Shape:
    """The input of a convolution from its recorded shape; the batch is that of the gradient."""
    return (gradient[0], *sizes[1:])


def _window(op: Op, dim: int, size: int, stride: int, axis: int) -> int:
    padding = op.attributes.get("padding", "VALID")
    if padding == "SAME":
        return -(-dim // stride)
    extra = 0
    if padding == "EXPLICIT":
        explicit: list[Any] = op.attributes.get("explicit_paddings", [])
        extra = sum(explicit[2 * axis : 2 * axis + 2])
    return max(0, (dim + extra - size) // stride + 1)


def _list(op: Op, name: str, rank: int) -> list[int]:
    found = op.attributes.get(name) or []
    return list(found) if len(found) == rank else [1] * rank
