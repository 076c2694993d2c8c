"""Which ops of a graph write variables, and what they depend on; runs in the user's process, at the end of a trace.

Invariant: the graph is only read.
"""

from __future__ import annotations

import re
from typing import Any, NamedTuple

from whydied.inside.model import graph_ops

_WRITER = re.compile(
    r"(Assign(Add|Sub)?VariableOp|Resource(Sparse)?Apply\w+|ResourceScatter\w+|ResourceStridedSliceAssign)$"
)
_VALUES = ("grad", "delta", "updates", "value")
FUNCTIONS = {
    "PartitionedCall": ("f",),
    "StatefulPartitionedCall": ("f",),
    "If": ("then_branch", "else_branch"),
    "StatelessIf": ("then_branch", "else_branch"),
    "While": ("cond", "body"),
    "StatelessWhile": ("cond", "body"),
    "Case": ("branches",),
    "StatelessCase": ("branches",),
}
_LEADING = {"If": 1, "StatelessIf": 1, "Case": 1, "StatelessCase": 1}
"""How many inputs of a functional op are not passed on to its functions."""


class Writer(NamedTuple):
    """An op that writes a variable. `value` is what it writes or the gradient that it applies; None where that is
    inside a function that it calls."""

    op: Any
    handle: Any
    value: Any
    role: str


def writers(graph: Any, known: dict[str, frozenset[int]] | None = None) -> list[Writer]:
    """In the order of creation. A call of a function that writes stands here once for each variable that it writes.
    `known` are the functions that were looked at, with the numbers of the arguments that each writes."""
    found = []
    written = {} if known is None else known
    for op in graph.get_operations():
        kind = op.type
        if _WRITER.match(kind):
            found.append(Writer(op, op.inputs[0], _value(op), _role(kind)))
        elif kind in FUNCTIONS:
            found += [Writer(op, handle, None, "") for handle in _handles_written(op, graph, written)]
    return found


def is_writer(op: Any) -> bool:
    return _WRITER.match(op.type) is not None


def functions_of(op: Any) -> list[str]:
    """The names of the functions that an op calls."""
    return [name for names in named_functions(op).values() for name in names]


def named_functions(op: Any) -> dict[str, list[str]]:
    """The same by attribute."""
    if op.type not in FUNCTIONS:
        return {}
    attributes = op.node_def.attr
    return {
        name: [function.name for function in attributes[name].list.func]
        if attributes[name].HasField("list")
        else [attributes[name].func.name]
        for name in FUNCTIONS[op.type]
    }


def _value(op: Any) -> Any:
    if op.type.startswith("Assign"):
        return op.inputs[1]
    names = [argument.name for argument in op.op_def.input_arg]
    for name in _VALUES:
        # An argument before it that is a list would shift the numbers; none of these ops has one.
        if name in names:
            return op.inputs[names.index(name)]
    return None


def _role(kind: str) -> str:
    if kind.startswith(("ResourceApply", "ResourceSparseApply")):
        return "gradient"
    return "weight" if kind == "AssignVariableOp" else "update"


def _handles_written(op: Any, graph: Any, known: dict[str, frozenset[int]]) -> list[Any]:
    shift = _LEADING.get(op.type, 0)
    inputs = list(op.inputs)[shift:]
    if not any(tensor.dtype == "resource" for tensor in inputs):
        return []
    numbers: set[int] = set()
    for name in functions_of(op):
        numbers |= _arguments_written(name, graph, known)
    return [inputs[number] for number in sorted(numbers) if number < len(inputs)]


def _arguments_written(name: str, graph: Any, known: dict[str, frozenset[int]]) -> frozenset[int]:
    if name not in known:
        known[name] = frozenset()
        inner = graph_ops.function_graph(name, graph)
        if inner is not None:
            places = {id(tensor): number for number, tensor in enumerate(inner.inputs)}
            handles = [writer.handle for writer in writers(inner, known)]
            known[name] = frozenset(places[id(handle)] for handle in handles if id(handle) in places)
    return known[name]
