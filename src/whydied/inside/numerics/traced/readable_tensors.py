"""Which tensors can be read by one op more without a change in what is computed; runs in the user's process, at the end
of a trace.

TensorFlow's optimizer rewrites chains of arithmetic (a * b * c, a + b + c, a product into a convolution) where an
inner result has one reader, and rounding then differs in the last bit. One more reader would stop it. So a tensor is
read only where that cannot be: its op is not arithmetic, or it has several readers already, or none of its readers is
arithmetic. What was not computed at all is not to be computed for us either.

Invariant: the graph is only read.
"""

from __future__ import annotations

from typing import Any

from whydied.inside.numerics.traced import variable_writes

_ROBUST = frozenset(
    {
        "MatMul",
        "BatchMatMul",
        "BatchMatMulV2",
        "BatchMatMulV3",
        "Einsum",
        "Conv2DBackpropFilter",
        "Conv2DBackpropFilterV2",
        "Conv3DBackpropFilterV2",
        "DepthwiseConv2dNativeBackpropFilter",
        "BiasAddGrad",
        "FusedBatchNormGradV3",
        "FusedBatchNormGradV2",
        "UnsortedSegmentSum",
        "ResourceGather",
        *variable_writes.FUNCTIONS,
        "PyFunc",
        "EagerPyFunc",
        "Placeholder",
        "ReadVariableOp",
        "SelectV2",
    }
)
"""Ops that no rewriting of arithmetic goes through."""
_MOVES = frozenset({"Reshape", "ExpandDims", "Squeeze"})
"""Ops that give the same numbers: what holds for their input holds for them."""

_TOTALS = frozenset({"Sum", "Mean", "Max", "Min", "DivNoNan"})
"""Ops that no rewriting goes through where they give a scalar, such as a loss."""
_SUMS = frozenset({"Add", "AddV2", "AddN", "Sub", "Neg"})
_COPIES = frozenset({"Identity", "IdentityN", "StopGradient", "PreventGradient"})


def can_be_read(tensor: Any, outputs: set[int], needed: set[Any]) -> bool:
    """`outputs` are the ids of the tensors that the graph returns, `needed` the ops that it runs."""
    if tensor.op not in needed:
        return False
    readers = _readers(tensor, needed)
    if tensor.op.type in _ROBUST or id(tensor) in outputs or len(readers) > 1:
        return True
    if all(variable_writes.is_writer(reader) or reader.type in _ROBUST for reader in readers):
        return True
    if tensor.shape.rank == 0 and (tensor.op.type in _TOTALS or _is_other_sum(tensor.op, readers)):
        return True
    return tensor.op.type in _MOVES and can_be_read(tensor.op.inputs[0], outputs, needed)


def _is_other_sum(op: Any, readers: list[Any]) -> bool:
    """A sum that goes into no other sum: sums are rewritten among themselves, and from the last one backwards."""
    return op.type in _SUMS and not any(reader.type in _SUMS for reader in readers)


def _readers(tensor: Any, needed: set[Any]) -> list[Any]:
    """The ops that read a tensor and run, also through copies, which the optimizer takes away."""
    found: dict[tuple[Any, ...], Any] = {}
    waiting = [tensor]
    while waiting:
        one = waiting.pop()
        for reader in one.consumers():
            if reader not in needed:
                continue
            if reader.type in _COPIES:
                waiting += [out for given, out in zip(reader.inputs, reader.outputs, strict=True) if given is one]
            else:
                # Two that do the same are made one.
                found[(reader.type, *(id(given) for given in reader.inputs))] = reader
    return list(found.values())
