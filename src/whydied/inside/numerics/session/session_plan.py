"""What a fetch of a session does, read from its graph: which variables it trains, with which updates, from which data;
runs in the user's process, once for each new fetch.

Invariant: the graph is only read. No op is created and nothing is evaluated. A fetch that needs more than
`LARGEST_OPS` ops is taken for one that does not train, and that is said.
"""

from __future__ import annotations

import math
import re
import sys
from collections.abc import Iterable
from typing import Any, NamedTuple

from whydied.inside.model import graph_ops
from whydied.inside.model.graph_ops import LARGEST_OPS

LARGEST_SOURCES = 32

_APPLY = re.compile(r"(Resource)?(Sparse)?Apply[A-Z]")
_ASSIGN = re.compile(r"Assign(Add|Sub)?(Variable(X?Op))?$")
_SCATTER = re.compile(r"(Resource)?Scatter(Nd)?(Add|Sub|Mul|Div|Update|Min|Max)$")
VARIABLES = frozenset({"VarHandleOp", "VariableV2", "Variable"})
_PASSING = frozenset({"Identity", "RefIdentity", "Switch", "RefSwitch", "Enter", "RefEnter"})
_SOURCES = re.compile(r"(IteratorGetNext(Sync)?|QueueDequeue(Many|UpTo)?(V2)?|(Eager)?PyFunc(Stateless)?)$")
_RANDOM = frozenset({"RandomUniform", "RandomStandardNormal", "TruncatedNormal"})
"""Random numbers of which a rerun may have others."""
_CHECKS = frozenset({"IsFinite", "IsNan", "IsInf"})
_HARMLESS = VARIABLES | {"ReadVariableOp", "VarIsInitializedOp", "VariableShape", "ResourceGather", "Placeholder"}
_FLOATS = frozenset({"float32", "float64", "float16", "bfloat16"})
_BACKWARD = re.compile(r"(?:^|/)(?:gradients(?:_\d+)?/(?P<old>.+)_grad/|gradient_tape/(?P<new>.+)/[^/]+$)")


class Variable(NamedTuple):
    """A variable of a graph. `read` is an existing tensor that has its value; `fed` are those through which the
    update reads it, whole or some rows of it, None where it does so in another way. `role` is as in
    `records.StateValue`."""

    node: str
    name: str
    dtype: str
    role: str
    read: Any
    fed: list[Any] | None
    size_bytes: int | None


class Update(NamedTuple):
    """A value that is written into a weight, or from which the optimizer makes what it writes: `role` is "gradient" or
    "update"."""

    tensor: Any
    variable: str
    role: str


class Plan(NamedTuple):
    """`floats` are the places, among the fetched tensors, of those that may be NaN, and whether each is the loss.
    `losses` are the tensors that gradients were taken of, fetched or not. `written` are the nodes of the variables that
    the fetch writes. `sources` are tensors that bring data from outside of the graph and can be had only while the
    fetch runs; `unseen` are names of those that cannot be had; `random` are random numbers. `ops` is all that runs.
    `checks` says that the program looks for values that are not finite itself; `effects` why the updates cannot be
    computed again without a trace, "" where they can. What neither trains nor writes anything has the scalars that it
    gives as its losses. `tops` are the ops that were asked for; `slots` are variables that they read or write beside
    `variables`: those of the optimizer."""

    name: str
    trains: bool = False
    floats: tuple[tuple[int, bool], ...] = ()
    fetched: tuple[Any, ...] = ()
    losses: tuple[Any, ...] = ()
    written: frozenset[str] = frozenset()
    updates: tuple[Update, ...] = ()
    variables: tuple[Variable, ...] = ()
    sources: tuple[Any, ...] = ()
    unseen: tuple[str, ...] = ()
    random: tuple[Any, ...] = ()
    rate: Any = None
    checks: bool = False
    effects: str = ""
    ops: tuple[Any, ...] = ()
    tops: tuple[Any, ...] = ()
    slots: tuple[Variable, ...] = ()


def make(graph: Any, fetches: list[Any], targets: list[Any]) -> Plan:
    """Raises TooLarge."""
    name = ", ".join(str(thing.name) for thing in (targets or fetches)[:3])
    ops = ancestors([*(tensor.op for tensor in fetches), *targets])
    writers = [(op, variable) for op in ops for variable in _written(op, graph)]
    written = frozenset(variable.name for _, variable in writers)
    writers = [(op, variable) for op, variable in writers if _variable_dtype(variable) in _FLOATS]
    trainable = _trainable(graph)
    trainable |= {variable.name for op, variable in writers if _APPLY.match(op.type)}
    training = [(op, variable) for op, variable in writers if variable.name in trainable and _trains(op, variable)]
    if not training:
        return Plan(name, written=written) if written or targets else _evaluation(name, graph, fetches, ops, trainable)
    updates = _updates(training)
    backward = _backward(ops)
    floats = [(at, tensor) for at, tensor in enumerate(fetches) if _dtype(tensor) in _FLOATS]
    places = {at for at, tensor in floats if _is_loss(tensor, backward, trainable)}
    losses = [fetches[at] for at in sorted(places)] or _unfetched_loss(graph, backward, trainable)
    tops = [*(update.tensor.op for update in updates), *(tensor.op for tensor in losses)]
    needed = ancestors(tops)
    sources, unseen = _sources(needed, graph)
    cut = frozenset(tensor.op for tensor in sources if tensor.op.name not in unseen)
    variables = _variables(needed, training, trainable)
    known = {variable.node for variable in variables}
    return Plan(
        name,
        trains=True,
        floats=tuple((at, at in places) for at, _ in floats),
        losses=tuple(losses),
        fetched=tuple(fetches),
        written=written,
        updates=tuple(updates),
        variables=tuple(variables),
        sources=tuple(sources),
        unseen=tuple(unseen),
        random=tuple(op.outputs[0] for op in needed if op.type in _RANDOM),
        rate=_rate(training),
        checks=any(op.type in _CHECKS for op in ops),
        effects=_effects(ancestors(tops, cut), variables, cut),
        ops=tuple({op.name: op for op in (*ops, *needed)}.values()),
        tops=(*(tensor.op for tensor in fetches), *targets),
        slots=tuple(one for one in _variables(ops, [], trainable) if one.node not in known),
    )


def _evaluation(name: str, graph: Any, fetches: list[Any], ops: list[Any], trainable: set[str]) -> Plan:
    """A fetch that changes no variable: at its end they are what they were at its start."""
    places = [at for at, one in enumerate(fetches) if one.shape.num_elements() == 1 and _dtype(one) in _FLOATS]
    if not places or any(op.type in _CHECKS for op in ops):
        return Plan(name)
    needed = ancestors(fetches[at].op for at in places)
    sources, unseen = _sources(needed, graph)
    return Plan(
        name,
        floats=tuple((at, True) for at in places),
        fetched=tuple(fetches),
        losses=tuple(fetches[at] for at in places),
        variables=tuple(_variables(needed, [], trainable)),
        sources=tuple(sources),
        unseen=tuple(unseen),
        random=tuple(op.outputs[0] for op in needed if op.type in _RANDOM),
        ops=tuple(ops),
    )


def ancestors(tops: Iterable[Any], cut: frozenset[Any] = frozenset()) -> list[Any]:
    """All ops that some ops need, in the order of their making; nothing before the ops `cut`. Raises TooLarge."""
    return sorted(graph_ops.ancestors(tops, cut, LARGEST_OPS), key=lambda op: op._id)


def _written(op: Any, graph: Any) -> list[Any]:
    """The variables that an op writes, as the ops that hold them."""
    kind = op.type
    if _APPLY.match(kind) or _ASSIGN.match(kind) or _SCATTER.match(kind):
        handles = [op.inputs[0]]
    elif kind in _CALLS and any(tensor.dtype.name == "resource" for tensor in op.inputs) and _call_writes(op, graph):
        handles = [tensor for tensor in op.inputs if tensor.dtype.name == "resource"]
    else:
        return []
    owners = [_owner(handle.op) for handle in handles]
    return [owner for owner in owners if owner.type in VARIABLES]


_CALLS = frozenset({"PartitionedCall", "StatefulPartitionedCall", "If", "While", "Case"})
_BODIES = ("f", "body", "then_branch", "else_branch")


def _call_writes(op: Any, graph: Any, depth: int = 4) -> bool:
    given = op.node_def.attr
    names = [given[word].func.name for word in _BODIES if word in given]
    names += [function.name for function in given["branches"].list.func] if "branches" in given else []
    for name in names:
        inner = getattr(graph._get_function(name), "graph", None)
        for one in inner.get_operations() if inner is not None else ():
            if _APPLY.match(one.type) or _ASSIGN.match(one.type) or _SCATTER.match(one.type):
                return True
            if one.type in _CALLS and depth and _call_writes(one, inner, depth - 1):
                return True
    return False


def _owner(op: Any) -> Any:
    while op.type in _PASSING and len(op.inputs):
        op = op.inputs[0].op
    return op


def _trains(op: Any, variable: Any) -> bool:
    """Not so for the first value of a variable, and for one that is loaded or copied."""
    if not op.type.startswith("Assign") or op.type.startswith(("AssignAdd", "AssignSub")):
        return True
    return any(one.name == variable.name for one in ancestors([op.inputs[1].op]))


def _trainable(graph: Any) -> set[str]:
    found = set()
    for variable in graph.get_collection("trainable_variables"):
        op = getattr(variable, "op", None)
        if op is not None and op.type in VARIABLES:
            found.add(str(op.name))
    return found


def _updates(training: list[tuple[Any, Any]]) -> list[Update]:
    found: dict[str, Update] = {}
    for op, variable in training:
        if op.type in _CALLS:
            tensors = [tensor for tensor in op.inputs if _dtype(tensor) in _FLOATS]
            role = "update"
        else:
            role = "gradient" if _APPLY.match(op.type) else "update"
            tensors = [_argument(op, ("grad", "value", "delta", "updates"))]
        for tensor in tensors:
            if tensor is not None and _dtype(tensor) in _FLOATS:
                found.setdefault(tensor.name, Update(tensor, str(variable.name), role))
    return list(found.values())


def _argument(op: Any, names: tuple[str, ...]) -> Any:
    for at, argument in enumerate(op.op_def.input_arg):
        if argument.name in names and at < len(op.inputs):
            return op.inputs[at]
    return None


def _rate(training: list[tuple[Any, Any]]) -> Any:
    for op, _ in training:
        if _APPLY.match(op.type):
            found = _argument(op, ("lr", "alpha"))
            if found is not None:
                return found
    return None


def _backward(ops: list[Any]) -> set[str]:
    """The names of the ops that gradients went through. Nothing in a graph says so but the names of the backward ops,
    which carry those of their forward ops."""
    matches = [_BACKWARD.search(op.name) for op in ops]
    return {match["old"] or match["new"] for match in matches if match is not None}


def _is_loss(tensor: Any, backward: set[str], trainable: set[str]) -> bool:
    if tensor.shape.num_elements() != 1 or not _differentiated(tensor.op, backward):
        return False
    return _depends(tensor.op, trainable)


def _unfetched_loss(graph: Any, backward: set[str], trainable: set[str]) -> list[Any]:
    """The last scalar that gradients went through."""
    last = None
    for name in backward:
        try:
            op = graph.get_operation_by_name(name)
        except (KeyError, ValueError):
            continue
        scalar = [tensor for tensor in op.outputs if tensor.shape.num_elements() == 1 and _dtype(tensor) in _FLOATS]
        if len(scalar) == 1 and (last is None or op._id > last.op._id) and _depends(op, trainable):
            last = scalar[0]
    return [last] if last is not None and last.op._get_control_flow_context() is None else []


def _depends(op: Any, variables: set[str]) -> bool:
    return any(one.name in variables for one in ancestors([op]))


def _differentiated(op: Any, backward: set[str]) -> bool:
    """A sum and an identity have no backward ops: what they add is asked."""
    waiting: list[Any] = [op]
    seen: set[str] = set()
    while waiting and len(seen) < 100:
        op = waiting.pop()
        if op.name in backward:
            return True
        seen.add(op.name)
        scalars = [tensor.op for tensor in op.inputs if tensor.shape.num_elements() == 1]
        waiting += [one for one in scalars if one.name not in seen]
    return False


def _sources(needed: list[Any], graph: Any) -> tuple[list[Any], list[str]]:
    """Tensors that can be fetched beside what the program fetches, and the names of sources where they cannot."""
    found, unseen = [], []
    for op in needed:
        if not _SOURCES.match(op.type):
            continue
        outputs = [tensor for tensor in op.outputs if tensor.dtype.name not in ("string", "resource", "variant")]
        inside = op._get_control_flow_context() is not None
        if inside or len(outputs) < len(op.outputs) or not graph.is_fetchable(op):
            unseen.append(str(op.name))
        if not inside and graph.is_fetchable(op):
            found += outputs
    return (found, unseen) if len(found) <= LARGEST_SOURCES else ([], [str(found[0].op.name)])


def _variables(needed: list[Any], training: list[tuple[Any, Any]], trainable: set[str]) -> list[Variable]:
    """The variables that the updates need and the weights that are trained, the weights first."""
    owners = {op.name: op for op in needed if op.type in VARIABLES}
    owners.update((variable.name, variable) for _, variable in training)
    inside = {op.name for op in needed}
    found = []
    for op in owners.values():
        dtype = _variable_dtype(op)
        read = _read(op)
        if read is None or dtype in ("string", "resource", "variant"):
            continue
        role = "weight" if op.name in trainable else ("statistic" if dtype in _FLOATS else "other")
        found.append(Variable(str(op.name), str(op.name), dtype, role, read, _fed(op, inside), _bytes(op)))
    return sorted(found, key=lambda one: one.role != "weight")


def _read(op: Any) -> Any:
    if op.type != "VarHandleOp":
        return op.outputs[0]
    for reader in op.outputs[0].consumers():
        plain = reader.type == "ReadVariableOp" and not reader.control_inputs
        if plain and reader._get_control_flow_context() is None:
            return reader.outputs[0]
    return None


def _fed(op: Any, inside: set[str]) -> list[Any] | None:
    readers = [reader for reader in op.outputs[0].consumers() if reader.name in inside]
    if op.type != "VarHandleOp":
        return [reader.outputs[0] for reader in readers] if all(one.type == "Identity" for one in readers) else None
    readers = [reader for reader in readers if reader.type != "VariableShape"]
    if not all(
        one.type == "ReadVariableOp" or (one.type == "ResourceGather" and one.get_attr("batch_dims") == 0)
        for one in readers
    ):
        return None
    return [reader.outputs[0] for reader in readers]


def _effects(needed: list[Any], variables: list[Variable], cut: frozenset[Any]) -> str:
    for op in needed:
        if op.type not in _HARMLESS | _RANDOM and op not in cut and _stateful(op.type):
            return f"{op.name} ({op.type}) changes something"
    for variable in variables:
        if variable.fed is None:
            return f"{variable.name} is read in place"
    return ""


def _stateful(kind: str) -> bool:
    known = _statefulness.get(kind)
    if known is None:
        registry: Any = sys.modules["tensorflow.python.framework.op_def_registry"]
        definition = registry.get(kind)
        known = _statefulness[kind] = definition is None or bool(definition.is_stateful)
    return known


_statefulness: dict[str, bool] = {}


def _dtype(tensor: Any) -> str:
    return str(tensor.dtype.base_dtype.name)


def _variable_dtype(op: Any) -> str:
    dtypes: Any = sys.modules["tensorflow.python.framework.dtypes"]
    return str(dtypes.as_dtype(op.get_attr("dtype")).base_dtype.name)


def _bytes(op: Any) -> int | None:
    dtypes: Any = sys.modules["tensorflow.python.framework.dtypes"]
    shape = op.get_attr("shape")
    if shape.unknown_rank:
        return None
    size = math.prod(dim.size for dim in shape.dim) * int(dtypes.as_dtype(op.get_attr("dtype")).size)
    return size if size >= 0 else None
