"""Which of the places where bad values arose is the one to report; runs in the process of the replay."""

from __future__ import annotations

from typing import NamedTuple

from whydied.replay import first_bad_value
from whydied.replay.captured_step import Scene
from whydied.replay.execution.execution_trace import Event, Site, Trace
from whydied.replay.execution.graph_nodes import tensor_source
from whydied.replay.execution.op_kernels import cured
from whydied.replay.trials import Trials

LARGEST_TRIED = 8


class Root(NamedTuple):
    """The first event of the chosen place. `others` are places of bad values that spoil the step by themselves."""

    event: Event
    others: frozenset[Site]


def choose(scene: Scene, trace: Trace, found: first_bad_value.Way, trials: Trials) -> Root:
    """The first place that alone makes the goal bad: with its bad elements made finite, all is finite.

    Constants come last: an infinity that was written into the program is mostly meant, and something else made it
    matter. Where no place alone is enough, the first one, and the others are cured in all later trials.
    """
    groups: dict[Site, Event] = {}
    for number in found.roots:
        event = trace.events[number]
        groups.setdefault(event.site, event)
    order = sorted(
        groups.values(), key=lambda event: (event.leaf == "constant", first_bad_value.is_backward(event), event.number)
    )
    if not order[0].leaf:
        for event in _swallowed(trace, order)[:LARGEST_TRIED]:
            if _is_enough(scene, trials, event):
                return Root(event, frozenset())
    if len(order) > 1:
        for event in order[:LARGEST_TRIED]:
            if _is_enough(scene, trials, event):
                return Root(event, frozenset())
    first = order[0]
    return Root(first, frozenset(event.site for event in order[1:] if not event.leaf))


def _swallowed(trace: Trace, roots: list[Event]) -> list[Event]:
    """Bad data from which a root was computed through finite values: on some processors a maximum over NaN is the
    lowest finite number, which overflows a few ops later."""
    before: set[int] = set()
    for event in roots:
        before |= first_bad_value.ancestors(trace, event.number)
    return [
        trace.events[number]
        for number in sorted(before)
        if trace.events[number].leaf == "feed" and any(trace.events[number].bad)
    ]


def _is_enough(scene: Scene, trials: Trials, event: Event) -> bool:
    if event.leaf == "feed":
        source = tensor_source(event.node.name)
        return trials.is_finite(feeds={source: cured(scene.feeds[source])})
    if event.leaf == "variable":
        return trials.is_finite(variables={event.node.name: cured(scene.variables[event.node.name])})
    return trials.is_finite(cures=frozenset({event.site}))
