"""Walks the trace of a step back from its bad targets to where the first bad value arose; runs in the process of the
replay. Pure: works on a trace.

A bad value matters only where a bad target was computed from it by bad values all the way: a masked infinity has a
finite value behind it, and the walk does not get there.
"""

from __future__ import annotations

import re
from collections import deque
from collections.abc import Iterable
from typing import NamedTuple

from whydied.records import Capture
from whydied.replay.execution import op_kinds
from whydied.replay.execution.execution_trace import Event, Ref, Trace
from whydied.replay.execution.graph_nodes import Source

RANKS = ("loss", "result", "gradient", "update", "weight", "", "statistic", "metric")
"""Which symptom is looked into first. A gradient is bad because of the loss, and an update because of a gradient."""
GRADIENT = re.compile(r"(?:^|/)(?:gradient_tape|gradients(?:_\d+)?)/")
_BACKWARD = re.compile(r"(?:^|^__inference_)__backward_|_grad_\d+$|_grad_\d+_")
"""Of the names that TensorFlow gives to functions. The backward half of a bidirectional layer is no such function."""


class Goal(NamedTuple):
    """The bad targets of one role, and their numbers among the targets."""

    role: str
    numbers: tuple[int, ...]


class Way(NamedTuple):
    """The bad values that a goal came from. `roots` are the events that were given nothing bad, in order; a leaf (fed
    value, variable, constant) that is bad is a root too."""

    events: frozenset[int]
    roots: tuple[int, ...]


def roles(capture: Capture, targets: tuple[Source, ...]) -> list[str]:
    """The role of each target, "" where no suspect names it."""
    by_tensor = dict.fromkeys(capture.losses, "loss")
    by_tensor |= {suspect.tensor: suspect.role for suspect in capture.suspects if suspect.tensor}
    return [by_tensor.get(f"{target.node}:{target.output}", by_tensor.get(target.node, "")) for target in targets]


def goal(trace: Trace, target_roles: list[str]) -> Goal | None:
    """What to look into: the bad targets of the first role that has any."""
    bad = [number for number, ref in enumerate(trace.targets) if trace.is_bad(ref)]
    if not bad:
        return None
    role = min((target_roles[number] for number in bad), key=_rank)
    return Goal(role, tuple(number for number in bad if target_roles[number] == role))


def _rank(role: str) -> int:
    return RANKS.index(role) if role in RANKS else len(RANKS)


def way(trace: Trace, starts: Iterable[Ref]) -> Way:
    """All bad values that bad ones came from, back to the roots."""
    seen: set[int] = set()
    roots: list[int] = []
    waiting = [ref for ref in starts if trace.is_bad(ref)]
    while waiting:
        event = trace.events[waiting.pop().event]
        if event.number in seen:
            continue
        seen.add(event.number)
        given = trace.bad_inputs(event)
        if given:
            waiting += given
        else:
            roots.append(event.number)
    return Way(frozenset(seen), tuple(sorted(roots)))


def path(trace: Trace, found: Way, root: int, ends: list[Ref]) -> list[int]:
    """A row of events from a root to one of the ends by bad values, as short as can be. From a leaf it begins with the
    first op of the forward pass that the leaf came to, though a gradient may have been computed from it directly. Where
    ops between made finite values of bad ones, it goes by all values."""
    followers: dict[int, list[int]] = {}
    is_swallowed = root not in found.events
    events = {number for ref in ends for number in ancestors(trace, ref.event)} if is_swallowed else found.events
    for number in sorted(events):
        event = trace.events[number]
        for ref in event.inputs if is_swallowed else trace.bad_inputs(event):
            followers.setdefault(ref.event, []).append(number)
    row = [root]
    if trace.events[root].leaf:
        row = _shortest(followers, root, {_entry(trace, followers, root)})
    return row + _shortest(followers, row[-1], {ref.event for ref in ends})[1:]


def _entry(trace: Trace, followers: dict[int, list[int]], leaf: int) -> int:
    """The op to which a bad leaf came first, past those that only move values."""
    entries, seen, waiting = [leaf], {leaf}, [leaf]
    while waiting:
        for number in followers.get(waiting.pop(), ()):
            if number not in seen:
                seen.add(number)
                (waiting if trace.events[number].node.op in op_kinds.PASSING else entries).append(number)
    return min(entries[1:] or entries, key=lambda number: (is_backward(trace.events[number]), number))


def _shortest(followers: dict[int, list[int]], start: int, wanted: set[int]) -> list[int]:
    before = {start: start}
    waiting = deque([start])
    while waiting:
        number = waiting.popleft()
        if number in wanted:
            return _back(before, number)
        for follower in followers.get(number, ()):
            if follower not in before:
                before[follower] = number
                waiting.append(follower)
    return [start]


def _back(before: dict[int, int], number: int) -> list[int]:
    row = [number]
    while before[row[-1]] != row[-1]:
        row.append(before[row[-1]])
    return row[::-1]


def ancestors(trace: Trace, start: int) -> set[int]:
    """All events that an event was computed from."""
    seen = {start}
    waiting = [start]
    while waiting:
        for ref in trace.events[waiting.pop()].inputs:
            if ref.event not in seen:
                seen.add(ref.event)
                waiting.append(ref.event)
    return seen


def is_backward(event: Event) -> bool:
    """Whether an op belongs to the computation of gradients, by its name or the function's that it is in."""
    return is_backward_name(event.node.name) or any(_BACKWARD.search(name) for name in event.scope.functions)


def is_backward_name(node: str) -> bool:
    return GRADIENT.search(node) is not None


def phase(trace: Trace, event: Event) -> str:
    """ "forward", "backward" or "update": an op behind the gradients from which no gradient is computed any more."""
    if is_backward(event):
        return "backward"
    if event.node.op.startswith(("Assign", "ResourceApply", "ResourceScatter")):
        return "update"
    if not any(is_backward(trace.events[number]) for number in ancestors(trace, event.number)):
        return "forward"
    return "forward" if _feeds_gradient(trace, event.number) else "update"


def _feeds_gradient(trace: Trace, start: int) -> bool:
    reached = {start}
    for event in trace.events[start + 1 :]:
        if any(ref.event in reached for ref in event.inputs):
            if is_backward(event):
                return True
            reached.add(event.number)
    return False
