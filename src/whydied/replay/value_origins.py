"""Where an op's argument was made: back through what leaves values as they are; runs in the process of the replay.
Pure: works on a trace."""

from __future__ import annotations

from typing import NamedTuple

from whydied.replay.execution import op_kinds
from whydied.replay.execution.execution_trace import Event, Ref, Trace

_PASSING = op_kinds.SAME | {"Reshape", "Squeeze", "ExpandDims", "StridedSlice", "Cast", "ReadVariableOp"}
_SUMS = frozenset({"Add", "AddV2", "Sub"})
_SPLITS = {"Split": 1, "SplitV": 0, "Unpack": 0}
"""Ops that take a value apart, with the position of the value."""
_JOINS = frozenset({"ConcatV2", "Pack"})
_SQUARED = frozenset({"Square", "Mul", "Sqrt", "Abs"})
_DIVISIONS = frozenset({"RealDiv", "Div", "Xdivy"})
_LARGEST_STEPS = 40


class Origin(NamedTuple):
    """The event that made a value; `divides` says that something else was divided by that value."""

    event: Event
    divides: bool


def origin(trace: Trace, ref: Ref) -> Origin:
    made = _made(trace, ref)
    divisors = [event.inputs[1] for event in trace.events if event.node.op in _DIVISIONS and len(event.inputs) == 2]
    return Origin(made, any(_made(trace, one, squares=True) is made for one in divisors))


def _made(trace: Trace, ref: Ref, *, squares: bool = False) -> Event:
    """Through a sum with a constant too, such as an epsilon. A part that was joined from parts is that part again."""
    part: tuple[int, int] | None = None
    for _ in range(_LARGEST_STEPS):
        event = trace.events[ref.event]
        op = event.node.op
        following: Ref | None = None
        if op in _PASSING and event.inputs:
            following = event.inputs[0]
        elif op in _SPLITS and len(event.inputs) > _SPLITS[op] and part is None:
            part, following = (ref.output, event.node.outputs), event.inputs[_SPLITS[op]]
        elif op in _JOINS and part is not None:
            joined = event.inputs[: -1 if op == "ConcatV2" else None]
            if len(joined) == part[1]:
                following, part = joined[part[0]], None
        elif op in _SUMS or (squares and op in _SQUARED):
            varying = {one for one in event.inputs if trace.events[one.event].leaf != "constant"}
            following = next(iter(varying)) if len(varying) == 1 else None
        if following is None:
            return event
        ref = following
    return trace.events[ref.event]
