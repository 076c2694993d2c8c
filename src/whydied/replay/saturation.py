"""Why the argument of the first bad op was just the value that the op is not made for: because a sigmoid, a softmax or
the like had come to its very end before; runs in the process of the replay.

Invariant: it is told only of a value that was looked at, and that is exactly the end.
"""

from __future__ import annotations

from typing import Any, NamedTuple

from whydied.records import Link
from whydied.replay import described_ops, value_wording
from whydied.replay.blame import Case
from whydied.replay.execution.execution_trace import Event
from whydied.replay.execution.replay_errors import ReplayError

LARGEST_STEPS = 5
_ARGUMENTS = {
    **dict.fromkeys(("Log", "Log1p", "Sqrt", "Rsqrt", "Reciprocal", "Inv", "Atanh", "Acos", "Asin", "Acosh"), 0),
    **dict.fromkeys(("RealDiv", "Div", "Xdivy"), 1),
}
"""The input that takes an op out of its domain."""
_THROUGH = frozenset(
    {"Sub", "AddV2", "Add", "Mul", "Neg", "Square", "Cast", "Identity", "Reshape", "Squeeze", "ExpandDims"}
)
_ENDS: dict[str, tuple[float, ...]] = {
    "Softmax": (0.0, 1.0),
    "Sigmoid": (0.0, 1.0),
    "Tanh": (-1.0, 1.0),
    "Exp": (0.0,),
    "Relu": (0.0,),
}


class _Stop(NamedTuple):
    """An op on the way back, and the input that the way goes on with."""

    event: Event
    input: int


def link(case: Case) -> Link | None:
    """The op that had come to its end, in words; None where there is none near."""
    way = _way(case)
    if not way or case.trials.is_late:
        return None
    try:
        kept = case.trials.watch(frozenset(stop.event.place for stop in way)).kept
    except ReplayError:
        return None
    place: tuple[int, ...] | None = None
    for stop in way:
        values = kept.get(stop.event.place)
        output = described_ops.array(case.scene, values.outputs[0]) if values is not None else None
        given = described_ops.array(case.scene, values.inputs[stop.input]) if values is not None else None
        if output is None or given is None:
            return None
        if place is None:
            place = _first_bad(output)
        if place is not None and stop is not way[-1]:
            place = _mapped(place, output.shape, given.shape)
        if place is None:
            return None
    assert place is not None
    words = _words(stop.event.node.op, output, given, place)
    line = case.scene.lines.of(case.program, stop.event)
    return Link(kind="op", words=words, name=stop.event.node.name, line=line) if words else None


def _way(case: Case) -> list[_Stop]:
    """From the first bad op back to one that has ends, through what keeps its elements apart."""
    event = case.first
    found: list[_Stop] = []
    at = _ARGUMENTS.get(event.node.op) if event is not None else None
    while event is not None and at is not None and at < len(event.inputs) and len(found) <= LARGEST_STEPS:
        found.append(_Stop(event, at))
        if event.node.op in _ENDS:
            return found
        event = case.trace.events[event.inputs[at].event]
        at = 0 if event.node.op in _ENDS else _onward(case, event) if event.node.op in _THROUGH else None
    return []


def _onward(case: Case, event: Event) -> int | None:
    """The one input that is not a constant."""
    if event.node.op in ("Reshape", "Squeeze", "ExpandDims"):
        return 0
    computed = [at for at, ref in enumerate(event.inputs) if case.trace.events[ref.event].leaf != "constant"]
    return computed[0] if len({event.inputs[at] for at in computed}) == 1 else None


def _first_bad(output: Any) -> tuple[int, ...] | None:
    import numpy

    places = numpy.argwhere(described_ops.bad_mask(output))
    return tuple(int(at) for at in places[0]) if len(places) else None


def _mapped(place: tuple[int, ...], output: tuple[int, ...], given: tuple[int, ...]) -> tuple[int, ...] | None:
    """The element of an input that an element of the output was computed from."""
    import numpy

    if numpy.prod(output, dtype=int) == numpy.prod(given, dtype=int):
        flat = numpy.ravel_multi_index(place, output) if output else 0
        return tuple(int(at) for at in numpy.unravel_index(flat, given)) if given else ()
    offset = len(output) - len(given)
    if offset < 0 or any(one not in (1, other) for one, other in zip(given, output[offset:], strict=True)):
        return None
    return tuple(0 if size == 1 else at for at, size in zip(place[offset:], given, strict=True))


def _words(op: str, output: Any, given: Any, place: tuple[int, ...]) -> str:
    """`sigmoid(41.2) = 1 at [10, 0]`."""
    result = output[place]
    if float(result) not in _ENDS[op] or given.shape != output.shape:
        return ""
    where = f" at {list(place)}" if place else ""
    if op == "Softmax" and place:
        others = given[place[:-1]]
        span = f"{value_wording.number(others.min())} to {value_wording.number(others.max())}"
        return f"softmax of scores from {span} is {value_wording.number(result)}{where}"
    return value_wording.expression(op, [value_wording.number(given[place])], value_wording.number(result)) + where
