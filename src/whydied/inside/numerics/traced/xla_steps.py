"""A step that XLA compiles, watched from the graph that calls it; runs in the user's process, at the end of a trace.

XLA takes none of our nodes into the step. So the variables are looked at after it, and what they were before is kept by
holding on to their values: XLA then writes into new memory.

Invariant: the compiled function stays as it is.
"""

from __future__ import annotations

from typing import Any

from whydied.inside.numerics import hidden_ops
from whydied.inside.numerics.traced import variable_handles
from whydied.inside.numerics.traced.variable_writes import Writer
from whydied.inside.numerics.traced.watched_tensors import Item

LARGEST_KEPT_BYTES = 64 << 20
LARGEST_ITEMS = 400


def is_compiled(op: Any) -> bool:
    return op.type == "StatefulPartitionedCall" and bool(op.node_def.attr["_XlaMustCompile"].b)


def choose(graph: Any, found: list[Writer], trainable: dict[int, bool]) -> list[list[Item]]:
    """One check: the scalars that compiled calls return, and the variables that they have written."""
    calls = list({writer.op: None for writer in found if is_compiled(writer.op)})
    if not calls:
        return []
    raw, ops = hidden_ops.tensorflow().raw_ops, hidden_ops.module("framework.ops")
    items = [
        Item(tensor, "metric", None, None, True)
        for call in calls
        for tensor in call.outputs
        if tensor.shape.rank == 0 and tensor.dtype.name == "float32"
    ]
    with hidden_ops.in_graph(graph):
        for writer in found[:LARGEST_ITEMS]:
            dtype = _float(writer.handle) if writer.op in calls and trainable.get(id(writer.handle), True) else None
            if dtype is not None:
                with ops.control_dependencies([writer.op]):
                    read = raw.ReadVariableOp(resource=writer.handle, dtype=dtype)
                items.append(Item(read, "weight", writer.handle, None, False))
    return [items]


def _float(handle: Any) -> Any:
    dtype, _ = variable_handles.symbolic_facts(handle)
    return dtype if dtype is not None and dtype.is_floating else None
