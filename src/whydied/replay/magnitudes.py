"""How values grew along the layers of a forward pass until one overflowed; runs in the process of the replay."""

from __future__ import annotations

from typing import Any

from whydied.records import FoundOp, Level
from whydied.replay import described_ops, first_bad_value
from whydied.replay.captured_step import Scene
from whydied.replay.execution.captured_graph import Program
from whydied.replay.execution.execution_trace import Event, Trace
from whydied.replay.execution.replay_errors import OutOfTime
from whydied.replay.trials import Trials

LARGE = 1e9
"""Below this no op that squares or exponentiates is said to have been given too much by the layers before it."""
LARGEST_LAYERS = 200


def levels(scene: Scene, program: Program, trials: Trials, trace: Trace, first: Event, op: FoundOp) -> list[Level]:
    """The batch, and the last value of each layer that the op was computed from, in their order. The step is run once
    more for it."""
    given = [one.numbers for one in op.inputs if one.numbers is not None]
    largest = max((abs(end) for one in given for end in (one.least, one.greatest) if end is not None), default=0.0)
    if op.phase != "forward" or largest < LARGE or trials.is_over:
        return []
    last: dict[str, Event] = {}
    for number in sorted(first_bad_value.ancestors(trace, first.number)):
        event = trace.events[number]
        line = scene.lines.of(program, event) if not event.leaf and event.node.op != "ReadVariableOp" else None
        if line is not None and line.layer:
            last[line.layer] = event
    if len(last) > LARGEST_LAYERS:
        return []
    try:
        kept = trials.watch(frozenset(event.place for event in last.values())).kept
    except OutOfTime:
        return []
    batch = [size for array in scene.batch().arrays.values() if (size := _extent(array)) is not None]
    found = [Level(largest=max(batch))] if batch else []
    for layer, event in sorted(last.items(), key=lambda pair: pair[1].number):
        values = kept.get(event.place)
        size = _extent(described_ops.array(scene, values.outputs[0])) if values is not None and values.outputs else None
        if size is not None:
            found.append(Level(largest=size, layer=layer, line=scene.lines.of(program, event)))
    return found


def _extent(value: Any) -> float | None:
    """The largest size of the finite elements."""
    import numpy

    if value is None or value.dtype.kind not in "fV" or not value.size:
        return None
    sizes = numpy.abs(value.astype(numpy.float64))
    finite = sizes[numpy.isfinite(sizes)]
    return float(finite.max()) if finite.size else None
