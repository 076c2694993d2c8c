"""What an execution of a step was: its ops in order, what each was given, and which values were bad; runs in the
process of the replay.

Function calls, branches and loops do not show: their ops stand in one row with the rest, so a value has one way back
whatever is around it. A bad value is one with an element that is not finite.
"""

from __future__ import annotations

from typing import Any, NamedTuple

from whydied.replay.execution.graph_nodes import Node

Site = tuple[tuple[str, ...], str]
"""The functions around a node, and its name: the same for all rounds of a loop."""


class Ref(NamedTuple):
    """An output of an event. Indices behind an op's own outputs are the variables that it wrote."""

    event: int
    output: int


class Scope:
    """One call of a function, or one round of a loop."""

    __slots__ = ("functions", "rounds")

    def __init__(self, functions: tuple[str, ...] = (), rounds: tuple[int, ...] = ()) -> None:
        self.functions = functions
        self.rounds = rounds


class Place(NamedTuple):
    """One execution of a node: the same in another execution of the step."""

    functions: tuple[str, ...]
    rounds: tuple[int, ...]
    node: str


class Event:
    """An executed op. `leaf` is "feed", "variable" or "constant" for values that come from outside the step."""

    __slots__ = ("bad", "inputs", "leaf", "node", "number", "scope")

    def __init__(self, number: int, scope: Scope, node: Node, inputs: tuple[Ref, ...], leaf: str = "") -> None:
        self.number = number
        self.scope = scope
        self.node = node
        self.inputs = inputs
        self.leaf = leaf
        self.bad: list[bool] = []

    @property
    def site(self) -> Site:
        return (self.scope.functions, self.node.name)

    @property
    def place(self) -> Place:
        return Place(self.scope.functions, self.scope.rounds, self.node.name)


class Values(NamedTuple):
    """The tensors of one event, where they were to be kept. A tensor is None where there is nothing to see."""

    inputs: list[Any]
    outputs: list[Any]


class Trace:
    """`targets` are in the order in which they were asked for, with the reasons of those that could not be had."""

    def __init__(self) -> None:
        self.events: list[Event] = []
        self.targets: list[Ref] = []
        self.reasons: list[str] = []
        self.kept: dict[Place, Values] = {}
        self.random_ops: set[str] = set()
        self.left_out: set[str] = set()

    def is_bad(self, ref: Ref) -> bool:
        return self.events[ref.event].bad[ref.output]

    def bad_inputs(self, event: Event) -> list[Ref]:
        return [ref for ref in event.inputs if self.is_bad(ref)]
