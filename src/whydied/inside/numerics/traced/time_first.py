"""What stands for a batch that a step lets go of early; runs in the user's process, at the end of a trace and at a
capture.

A recurrent layer brings time to the front, makes a list of the moments, and needs only those from then on: the batch
itself would live until the check for us alone. So the list is passed on, and the batch is made of it at a capture.

Invariant: the graph is only read, and of what it has only ops are used that the step runs anyway.
"""

from __future__ import annotations

from typing import Any

from whydied.inside.numerics import hidden_ops

_EARLY = frozenset({"Shape", "StridedSlice", "Transpose"})
"""Readers that run before the loop of the layer."""


def of(tensor: Any, needed: set[Any]) -> Any:
    """The list of the moments, or the tensor itself. `needed` are the ops that run."""
    readers = tensor.consumers()
    if any(op.type not in _EARLY for op in readers):
        return tensor
    for op in readers:
        if op.type == "Transpose" and op.inputs[1].op.type == "Const":
            for reader in op.outputs[0].consumers():
                if reader.type == "TensorListFromTensor" and reader in needed:
                    return reader.outputs[0]
    return tensor


def passed(value: Any, asked: Any) -> Any:
    """What the dump is given: a list becomes one tensor, only where it was `asked` for."""
    if value.dtype != "variant":
        return value
    raw = hidden_ops.tensorflow().raw_ops
    whole = value.op.inputs[0]
    return raw.TensorListStack(
        input_handle=raw.Switch(data=value, pred=asked)[1],
        element_shape=[-1 if length is None else length for length in whole.shape[1:]],
        element_dtype=whole.dtype,
    )


def turned_back(value: Any, stand_in: Any) -> Any:
    """The value of the batch, from that of what stood for it."""
    if stand_in.dtype != "variant":
        return value
    import numpy

    order = stand_in.op.inputs[0].op.inputs[1]
    order = hidden_ops.module("framework.tensor_util").constant_value(order)
    return numpy.ascontiguousarray(numpy.transpose(value, numpy.argsort(order)))
