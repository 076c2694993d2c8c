"""The numbers that tell of each watched tensor whether it is finite, and its norm; runs in the user's process, at the
end of a trace.

Half the sum of squares is not finite if an element is not (and if the squares overflow: the dump decides). Gradients
of one dimension, such as those of biases, go together into one number: each node costs a microsecond in each step. To
read each element of a large gradient would cost several per cent of a step. Where a large gradient is a sum of outer
products, as those of dense and convolution kernels are, a bad value on either side makes a whole row or a whole column
bad: one column and a block of rows show it, and the block gives the norm of the whole, estimated. An element that
overflows alone, with both sides finite, is then noticed one step later, as a weight.
"""

from __future__ import annotations

from typing import Any, NamedTuple

from whydied.inside.numerics import hidden_ops
from whydied.inside.numerics.traced.watched_tensors import Item

LARGE = 1 << 17
"""Elements of a gradient that is not read as a whole."""
SMALL = 1 << 12
"""Elements of one that goes together with others."""
BLOCK = 8
"""One row in so many is in the block, which is in the middle: the borders of images are often black."""
_HALVES = frozenset({"float16", "bfloat16"})
_OUTER = frozenset(
    {
        "MatMul",
        "BatchMatMulV2",
        "BatchMatMulV3",
        "Einsum",
        "Conv2DBackpropFilter",
        "Conv3DBackpropFilterV2",
        "Conv2DBackpropFilterV2",
    }
)
_THROUGH = frozenset({"Reshape", "Transpose", "Identity", "Cast", "AddN", "AddV2"})


class Measure(NamedTuple):
    """A column of the ring: the number of some items. `factor` makes the half square of an estimate that of the whole;
    0 where the column only tells of finiteness."""

    items: tuple[int, ...]
    factor: float


class Measures(NamedTuple):
    tensors: list[Any]
    measures: list[Measure]


def of_items(items: list[Item]) -> Measures:
    """Scalars of float32 in the current graph."""
    tf = hidden_ops.tensorflow()
    first: list[tuple[Any, Measure]] = []
    rest: list[tuple[Any, Measure]] = []
    together = _small(items)
    if together:
        joined = tf.raw_ops.ConcatV2(values=[items[number].tensor for number in together], axis=0)
        rest.append((_half_square(joined, tf), Measure(tuple(together), 0.0)))
    for number, item in enumerate(items):
        if number in together:
            continue
        if item.direct:
            first.append((_narrow(item.tensor, tf), Measure((number,), 1.0)))
        elif _is_large_product(item.tensor):
            block, column, factor = _parts(item.tensor, tf)
            first.append((_half_square(block, tf), Measure((number,), factor)))
            rest.append((_half_square(column, tf), Measure((number,), 0.0)))
        else:
            first.append((_half_square(item.tensor, tf), Measure((number,), 1.0)))
    return Measures([tensor for tensor, _ in first + rest], [measure for _, measure in first + rest])


def _small(items: list[Item]) -> list[int]:
    """The items that go together; none where there are not several."""
    found = [
        number
        for number, item in enumerate(items)
        if not item.direct
        and item.tensor.dtype.base_dtype.name == "float32"
        and item.tensor.shape.rank == 1
        and (item.tensor.shape[0] or SMALL) < SMALL
    ]
    return found if len(found) > 1 else []


def _half_square(tensor: Any, tf: Any) -> Any:
    if tensor.dtype.base_dtype.name in _HALVES:
        # Squares of half-precision values overflow at norms that are quite usual.
        tensor = tf.raw_ops.Cast(x=tensor, DstT=tf.float32)
    return _narrow(tf.raw_ops.L2Loss(t=tensor), tf)


def _narrow(tensor: Any, tf: Any) -> Any:
    return tensor if tensor.dtype == tf.float32 else tf.raw_ops.Cast(x=tensor, DstT=tf.float32)


def _parts(tensor: Any, tf: Any) -> tuple[Any, Any, float]:
    """A block of rows, the first column, and how many times the block is the whole."""
    last = tensor.shape[-1]
    rows = tensor.shape.num_elements() // last
    if tensor.shape.rank > 2:
        tensor = tf.raw_ops.Reshape(tensor=tensor, shape=[rows, last])
    count = max(1, rows // BLOCK)
    start = (rows - count) // 2
    block = tf.raw_ops.StridedSlice(input=tensor, begin=[start], end=[start + count], strides=[1])
    column = tf.raw_ops.StridedSlice(
        input=tensor, begin=[0, 0], end=[0, 1], strides=[1, 1], begin_mask=1, end_mask=1, shrink_axis_mask=2
    )
    return block, column, rows / count


def _is_large_product(tensor: Any) -> bool:
    size = tensor.shape.num_elements() if tensor.shape.is_fully_defined() else None
    return size is not None and size >= LARGE and tensor.shape.rank >= 2 and _is_product(tensor.op, 8)


def _is_product(op: Any, depth: int) -> bool:
    if op.type in _OUTER:
        return True
    if depth == 0 or op.type not in _THROUGH:
        return False
    return any(_is_product(tensor.op, depth - 1) for tensor in op.inputs)
