"""Chooses what of a traced step is watched, and when; runs in the user's process, at the end of a trace.

Invariant: the graph is only read. The values of one check do not depend on writers that the check is to hold
back. Where an optimizer told its gradients, those are watched and not what it makes of them; else what the writers of
float variables write.

A tensor is read only where one op more that reads it does not change what is computed. TensorFlow's optimizer rewrites
chains of arithmetic (a * b * c, a + b + c, a product into a convolution) where an inner result has one reader, and
rounding then differs in the last bit. One more reader would stop it. So a tensor is read only where that cannot be: its
op is not arithmetic, or it has several readers already, or none of its readers is arithmetic. What was not computed at
all is not to be computed for us either.
"""

from __future__ import annotations

from typing import Any, NamedTuple

from whydied.inside.model import graph_ops
from whydied.inside.numerics.traced import variable_writes
from whydied.inside.numerics.traced.gradients_seen import Target, TrainingSeen
from whydied.inside.numerics.traced.variable_writes import Writer

LARGEST_CHECKS = 3
LARGEST_STATISTICS = 8
_FLOATS = frozenset({"float16", "bfloat16", "float32", "float64"})
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


class Item(NamedTuple):
    """A tensor that is watched. `handle` is the tensor of the graph that yields the variable's handle, None for a
    loss; `target` is the variable, where it was told. A `direct` one is a scalar whose value goes into the ring as it
    is."""

    tensor: Any
    role: str
    handle: Any
    target: Target | None
    direct: bool


def choose(graph: Any, told: TrainingSeen, found: list[Writer], trainable: dict[int, bool]) -> list[list[Item]]:
    """The items of each check, in the order of the step. `trainable` says by the id of a handle what is known of its
    variable."""
    losses = [Item(tensor, "loss", None, None, _scalar(tensor)) for tensor in told.losses if _is_float(tensor)]
    gradients = [
        Item(tensor, "gradient", None, target, False) for tensor, target in told.gradients if _is_float(tensor)
    ]
    readable = _Readable(graph)
    gradients = readable.of(gradients)
    walk = _Walk(found, {item.tensor.op for item in gradients}, trainable)
    walk.go(graph)
    items = _distinct([*readable.losses(losses), *gradients, *readable.of(walk.primary)])
    secondary = readable.of(walk.secondary)
    if not items:
        # Of a step whose updates are all in branches, as with a loss scale, what it tells of itself; of an evaluation
        # its metrics.
        if told.evaluates:
            secondary = [item for item in secondary if item.direct]
        return [secondary] if secondary and (told.losses or told.evaluates) else []
    levels = sorted({walk.generation[item.tensor.op] for item in items})[:LARGEST_CHECKS]
    checks = [[item for item in items if walk.generation[item.tensor.op] == level] for level in levels]
    scalars = [item for item in secondary if item.direct]
    statistics = [item for item in secondary if not item.direct]
    if len(statistics) > LARGEST_STATISTICS:
        statistics = []
    first = levels[0]
    checks[0] += [item for item in (*scalars, *statistics) if walk.generation[item.tensor.op] <= first]
    return checks


def returned(graph: Any) -> list[list[Item]]:
    """One check: what a graph returns."""
    items = [Item(one, "result", None, None, _scalar(one)) for one in graph.outputs if one is not None]
    items = _Readable(graph).of([item for item in items if _is_float(item.tensor)])
    return [_distinct(items)] if items else []


class _Readable:
    """The items that can be read without a change in what is computed."""

    def __init__(self, graph: Any) -> None:
        self._outputs = {id(tensor) for tensor in graph.outputs}
        # The ops that run whether or not we read anything.
        ends = [tensor.op for tensor in graph.outputs if tensor is not None]
        self._needed = graph_ops.ancestors([*ends, *graph.control_outputs])

    def of(self, items: list[Item]) -> list[Item]:
        return [item for item in items if self._can_be_read(item.tensor)]

    def losses(self, items: list[Item]) -> list[Item]:
        """Of a loss that is scaled only to be differentiated, the loss before."""
        found = []
        for item in items:
            if self._can_be_read(item.tensor):
                found.append(item)
            elif item.tensor.op.type == "Mul" and item.direct:
                found += [
                    item._replace(tensor=factor)
                    for factor in item.tensor.op.inputs
                    if factor.op.type not in ("ReadVariableOp", "Const")
                    and _scalar(factor)
                    and self._can_be_read(factor)
                ]
        return found

    def _can_be_read(self, tensor: Any) -> bool:
        return can_be_read(tensor, self._outputs, self._needed)


class _Walk:
    """Goes through the ops in the order of their creation. `generation` counts, for each op, the updates of weights
    that lie one after the other before it."""

    def __init__(self, found: list[Writer], told: set[Any], trainable: dict[int, bool]) -> None:
        self.generation: dict[Any, int] = {}
        self.primary: list[Item] = []
        self.secondary: list[Item] = []
        self._writers: dict[Any, list[Writer]] = {}
        for writer in found:
            self._writers.setdefault(writer.op, []).append(writer)
        self._using = set(told)
        self._trainable = trainable
        self._updates: set[Any] = set()

    def go(self, graph: Any) -> None:
        for op in graph.get_operations():
            sources = [tensor.op for tensor in op.inputs] + list(op.control_inputs)
            self.generation[op] = max(
                (self.generation.get(source, 0) + (source in self._updates) for source in sources), default=0
            )
            uses = any(source in self._using for source in sources)
            for writer in self._writers.get(op, ()):
                self._written(writer, uses)
            if uses:
                self._using.add(op)

    def _written(self, writer: Writer, uses: bool) -> None:
        trainable = self._trainable.get(id(writer.handle), True)
        if uses or trainable:
            self._updates.add(writer.op)
        if uses or writer.value is None or not _is_float(writer.value):
            return
        if trainable:
            self.primary.append(Item(writer.value, writer.role, writer.handle, None, False))
            self._using.add(writer.op)
        elif _scalar(writer.value):
            self.secondary.append(Item(writer.value, "metric", writer.handle, None, True))
        else:
            self.secondary.append(Item(writer.value, "statistic", writer.handle, None, False))


def held_back(graph: Any, found: list[Writer], before: set[Any]) -> list[Any]:
    """The ops that are to wait for a check, so that all writers come after it that may: none does that comes `before`
    what the check looks at. Reads of variables wait too, where the update begins with one: else what is to be written
    would be computed for all variables before the first is written, out of the caches. Arithmetic does not wait
    itself: that would keep TensorFlow from rewriting it."""
    written = {writer.op for writer in found}
    held: dict[Any, None] = {}
    later: set[Any] = set()
    for op in graph.get_operations():
        if op in before:
            continue
        if any(source in later for source in (*(tensor.op for tensor in op.inputs), *op.control_inputs)):
            later.add(op)
        elif op in written or op.type == "ReadVariableOp":
            held[op] = None
            later.add(op)
    return list(held)


def _distinct(items: list[Item]) -> list[Item]:
    return list({id(item.tensor): item for item in reversed(items)}.values())[::-1]


def _is_float(tensor: Any) -> bool:
    return tensor.dtype.base_dtype.name in _FLOATS


def _scalar(tensor: Any) -> bool:
    return bool(tensor.shape.rank == 0)


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
