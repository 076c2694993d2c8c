"""Nodes of a graph or function, and the order in which they can be executed; used in the process of the replay. Pure.

Invariant: a schedule has each node after all that it needs, and only nodes that its results need.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple

from whydied.replay.execution.op_kernels import Kernels
from whydied.replay.execution.replay_errors import ReplayError


class Source(NamedTuple):
    """An output of a node of the same body."""

    node: str
    output: int


class Node:
    """An op of a body. `outputs` is their number; `attributes` are in the runtime's form and made when first needed."""

    __slots__ = ("_attributes", "attr", "control", "inputs", "name", "op", "outputs")

    def __init__(self, name: str, op: str, inputs: Sequence[Source], control: Sequence[str], attr: Any, outputs: int):
        self.name = name
        self.op = op
        self.inputs = tuple(inputs)
        self.control = tuple(control)
        self.attr = attr
        self.outputs = outputs
        self._attributes: tuple[Any, ...] | None = None

    def attributes(self, kernels: Kernels) -> tuple[Any, ...]:
        if self._attributes is None:
            self._attributes = kernels.attributes(self.op, self.attr)
        return self._attributes


class Body:
    """The nodes of a graph or function. `arguments` are nodes without an op, fed by the caller."""

    def __init__(self, name: str, nodes: dict[str, Node], arguments: Sequence[str]) -> None:
        self.name = name
        self.nodes = nodes
        self.arguments = tuple(arguments)
        self.results: tuple[Source, ...] = ()
        self.effects: tuple[str, ...] = ()
        self._schedule: Schedule | None = None
        # Whether a node of TensorFlow 1 is executed can depend on a node that it only waits for.
        self.has_switches = any(node.op in ("Switch", "RefSwitch") for node in nodes.values())

    def schedule(self) -> Schedule:
        """For all results and effects of a function."""
        if self._schedule is None:
            self._schedule = schedule(self, self.results, self.effects, frozenset())
        return self._schedule


class Schedule(NamedTuple):
    """Nodes in order, and which nodes' values are needed no more after each."""

    nodes: tuple[Node, ...]
    over: tuple[tuple[str, ...], ...]


def schedule(body: Body, results: Iterable[Source], effects: Iterable[str], fed: frozenset[Source]) -> Schedule:
    """The order in which what `results` and `effects` need can be executed. What only fed values need is left out."""
    results = tuple(results)
    given = {source.node for source in fed}
    order = _order(body, [source.node for source in results if source not in fed] + list(effects), fed, given)
    last: dict[str, int] = {}
    for at, node in enumerate(order):
        last[node.name] = at
        for source in node.inputs:
            last[source.node] = at
        if body.has_switches:
            last.update(dict.fromkeys(node.control, at))
    kept = {source.node for source in results}
    over: list[list[str]] = [[] for _ in order]
    for name, at in last.items():
        if name not in kept:
            over[at].append(name)
    return Schedule(tuple(order), tuple(map(tuple, over)))


def _order(body: Body, wanted: list[str], fed: frozenset[Source], given: set[str]) -> list[Node]:
    order: list[Node] = []
    state: dict[str, int] = {}
    waiting = [(name, False) for name in reversed(wanted)]
    while waiting:
        name, is_left = waiting.pop()
        if is_left:
            state[name] = 2
            order.append(body.nodes[name])
            continue
        if state.get(name):
            if state[name] == 1:
                raise ReplayError(f"the graph has a cycle at {name}")
            continue
        node = body.nodes.get(name)
        if node is None:
            raise ReplayError(f"the captured graph has no node {name}")
        state[name] = 1
        waiting.append((name, True))
        needs = [source.node for source in node.inputs if source not in fed]
        needs += [name for name in node.control if name not in given]
        waiting += [(need, False) for need in reversed(needs) if state.get(need) != 2]
    return order


def tensor_source(name: str) -> Source:
    """Of the name of a tensor, "dense/MatMul:0"."""
    node, colon, output = name.rpartition(":")
    return Source(node, int(output)) if colon and output.isdigit() else Source(name, 0)
