"""Chooses what of a traced step is watched, and when; runs in the user's process, at the end of a trace.

Invariant: the graph is only read. The values of one check do not depend on writers that the check is to hold
back. Where an optimizer told its gradients, those are watched and not what it makes of them; else what the writers of
float variables write.
"""

from __future__ import annotations

from typing import Any, NamedTuple

from whydied.inside.model import graph_ops
from whydied.inside.numerics.traced import readable_tensors
from whydied.inside.numerics.traced.gradients_seen import Target, TrainingSeen
from whydied.inside.numerics.traced.variable_writes import Writer

LARGEST_CHECKS = 3
LARGEST_STATISTICS = 8
_FLOATS = frozenset({"float16", "bfloat16", "float32", "float64"})


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
        return readable_tensors.can_be_read(tensor, self._outputs, self._needed)


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
