"""The op of a finite step that comes nearest to the edge of its domain; runs in the process of the replay.

A step that was captured with older weights can be finite although the program's was not. A logarithm whose argument is
a millionth away from zero there, and that nothing keeps from it, is then the candidate, with that number. An argument
that a sum with a constant, a maximum or a clip holds off the edge is not one.
"""

from __future__ import annotations

from typing import Any, NamedTuple

from whydied.records import FoundOp
from whydied.replay import described_ops, first_bad_value
from whydied.replay.captured_step import Scene
from whydied.replay.execution import op_kinds
from whydied.replay.execution.captured_graph import Program
from whydied.replay.execution.execution_trace import Event, Place, Ref, Trace, Values
from whydied.replay.trials import Trials

NEAR = 1e-6
"""How near: float32 has about seven digits."""
LARGEST_EXPONENT = 80.0
"""`exp(88.8)` overflows in float32."""
_AT_ZERO = {"Log": 0, "Xlogy": 1, "RealDiv": 1, "Div": 1, "Xdivy": 1, "Sqrt": 0, "Rsqrt": 0, "Reciprocal": 0, "Inv": 0}
"""Which argument must not be zero: of a root because of its gradient."""
_AT_ONE = frozenset({"Acos", "Asin", "Atanh"})
_HOLDS = frozenset({"Add", "AddV2", "Sub", "Maximum", "Minimum", "ClipByValue", "Relu6", "Softplus", "Exp"})
"""Ops that keep a value off an edge, given a constant or by themselves."""
_OWN = frozenset({"ClipByValue", "Softplus", "Exp"})
_LARGEST_WATCHED = 200


class _Near(NamedTuple):
    event: Event
    distance: float
    """Over what counts as near."""


def near_op(scene: Scene, program: Program, trials: Trials, trace: Trace) -> FoundOp | None:
    """None where no op of the program's own comes so near."""
    candidates = [event for event in trace.events if _may_leave(trace, event)][:_LARGEST_WATCHED]
    if not candidates:
        return None
    kept = _values(trials, trace, frozenset(event.place for event in candidates))
    found = []
    for event in candidates:
        values = kept.get(event.place)
        distance = _distance(scene, event, values) if values is not None else None
        line = scene.lines.of(program, event) if distance is not None and distance < 1 else None
        if line is not None and distance is not None and any(frame.user for frame in line.frames):
            found.append(_Near(event, distance))
    if not found:
        return None
    nearest = min(found, key=lambda one: (one.distance, one.event.number)).event
    return described_ops.found_op(scene, program, trace, nearest, kept[nearest.place])


def _may_leave(trace: Trace, event: Event) -> bool:
    op = event.node.op
    at = _AT_ZERO.get(op, 0)
    if (op not in _AT_ZERO and op not in _AT_ONE and op != "Exp") or len(event.inputs) <= at:
        return False
    if first_bad_value.phase(trace, event) != "forward":
        return False
    return not _is_held(trace, event.inputs[at])


def _is_held(trace: Trace, ref: Ref) -> bool:
    """Whether something keeps a value off the edge, or it is not computed at all."""
    event = trace.events[ref.event]
    while event.inputs and event.node.op in op_kinds.PASSING | op_kinds.SAME:
        event = trace.events[event.inputs[0].event]
    if event.leaf or not event.inputs:
        return True
    if event.node.op not in _HOLDS:
        return False
    return event.node.op in _OWN or any(trace.events[one.event].leaf == "constant" for one in event.inputs)


def _values(trials: Trials, trace: Trace, places: frozenset[Place]) -> dict[Place, Values]:
    return trace.kept if places <= trace.kept.keys() else trials.watch(places).kept


def _distance(scene: Scene, event: Event, values: Values) -> float | None:
    import numpy

    op = event.node.op
    argument: Any = described_ops.array(scene, values.inputs[_AT_ZERO.get(op, 0)])
    if argument is None or argument.dtype.kind != "f" or not argument.size or not numpy.isfinite(argument).all():
        return None
    wide = argument.astype(numpy.float64)
    if op == "Exp":
        return float(LARGEST_EXPONENT / wide.max()) if wide.max() > 0 else None
    if op in _AT_ONE:
        return float((1 - numpy.abs(wide)).min() / NEAR)
    return float(numpy.abs(wide).min() / NEAR)
