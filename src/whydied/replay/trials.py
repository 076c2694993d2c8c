"""Runs the captured step again with other values, to prove what brought the bad one; runs in the process of the replay.

Invariant: a trial answers only whether the targets in question came out finite. A trial that could not be run
is one that did not.
"""

from __future__ import annotations

import time
from typing import Any

from whydied.replay.execution.execution_trace import Place, Site, Trace
from whydied.replay.execution.graph_nodes import Source
from whydied.replay.execution.interpreter import Interpreter
from whydied.replay.execution.op_kernels import Kernels
from whydied.replay.execution.replay_errors import ReplayError

LARGEST_TRIALS = 150
ROOM_BYTES = 1 << 20
LARGEST_SEARCH = 120
"""Trials after which rows are no longer searched for, so that some are left for other weights and values."""


class Batch:
    """The values of the batch as arrays, by tensor. `rows` is the length of the axis that they share, 0 without one."""

    def __init__(self, arrays: dict[Source, Any]) -> None:
        self.arrays = arrays
        self.rows = _shared_rows(list(arrays.values()))

    @property
    def row_feeds(self) -> list[Source]:
        """The values that have a row for each example."""
        return [source for source, array in self.arrays.items() if array.ndim and array.shape[0] == self.rows]


class Trials:
    """Trials of one goal: the targets that are to be finite."""

    def __init__(
        self, interpreter: Interpreter, kernels: Kernels, batch: Batch, goal: tuple[Source, ...], until: float
    ):
        self.batch = batch
        self.goal = goal
        self.count = 0
        self._interpreter = interpreter
        self._kernels = kernels
        self._until = until
        self._always: frozenset[Site] = frozenset()
        self._places: dict[tuple[Source, ...], list[tuple[Place, int]]] = {}

    def cure_always(self, sites: frozenset[Site]) -> None:
        """Cure these ops in all later trials: they are bad for a reason of their own."""
        self._always = sites

    def is_finite(
        self,
        *,
        feeds: dict[Source, Any] | None = None,
        variables: dict[str, Any] | None = None,
        cures: frozenset[Site] = frozenset(),
    ) -> bool:
        """Whether the goal is finite with other feeds and variables (as arrays), or with ops cured."""
        if self.is_over:
            return False
        self.count += 1
        try:
            trace = self._interpreter.run(
                self.goal,
                feeds={source: self._kernels.tensor(array) for source, array in (feeds or {}).items()},
                variables={node: self._kernels.tensor(array) for node, array in (variables or {}).items()},
                cures=cures | self._always,
            )
        except ReplayError:
            return False
        return not any(trace.is_bad(ref) for ref in trace.targets)

    @property
    def is_over(self) -> bool:
        """Whether no further trial will be run."""
        return self.count >= LARGEST_TRIALS or self.is_late

    @property
    def is_searched(self) -> bool:
        """Whether rows and columns are not to be searched for any longer."""
        return self.is_over or self.count >= LARGEST_SEARCH

    @property
    def is_late(self) -> bool:
        return time.monotonic() > self._until

    def watch(self, keep: frozenset[Place]) -> Trace:
        """Run the step as it was and keep the values of some ops."""
        return self._interpreter.run(self.goal, keep=keep)

    def values(
        self, targets: tuple[Source, ...], feeds: dict[Source, Any], variables: dict[str, Any]
    ) -> list[Any] | None:
        """What targets are with other feeds and variables (as arrays), as arrays; None where one cannot be had."""
        given = {source: self._kernels.tensor(array) for source, array in feeds.items()}
        weights = {node: self._kernels.tensor(array) for node, array in variables.items()}
        if targets not in self._places:
            trace = self._interpreter.run(targets, feeds=given, variables=weights)
            self._places[targets] = [(trace.events[ref.event].place, ref.output) for ref in trace.targets]
        places = self._places[targets]
        keep = frozenset(place for place, _ in places)
        kept = self._interpreter.run(targets, feeds=given, variables=weights, keep=keep).kept
        found = [kept[place].outputs[output] if place in kept else None for place, output in places]
        return None if any(one is None for one in found) else [self._kernels.array(one) for one in found]

    def run_with(self, targets: tuple[Source, ...], variables: dict[str, Any]) -> Trace:
        """Compute other targets with other variables (as arrays), and keep what is bad on the way."""
        given = {node: self._kernels.tensor(array) for node, array in variables.items()}
        return self._interpreter.run(targets, variables=given, room_bytes=ROOM_BYTES, strict=False)


def _shared_rows(arrays: list[Any]) -> int:
    lengths = [array.shape[0] for array in arrays if array.ndim]
    return max(lengths, key=lambda length: (lengths.count(length), length)) if lengths else 0
