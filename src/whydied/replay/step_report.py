"""Takes a captured step apart, from its files to a `Replay`; runs in the process of the replay."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import NamedTuple

from msgspec import structs

from whydied.records import Blame, Descent, FoundOp, Replay
from whydied.replay import (
    bad_value_path,
    blame,
    descent,
    described_ops,
    first_bad_value,
    magnitudes,
    near_edge,
    running_on,
    step_before,
)
from whydied.replay.captured_step import Scene
from whydied.replay.execution import op_kinds
from whydied.replay.execution.captured_graph import Program
from whydied.replay.execution.execution_trace import Event, Site, Trace
from whydied.replay.execution.graph_nodes import Source, tensor_source
from whydied.replay.execution.interpreter import Interpreter
from whydied.replay.execution.op_kernels import Kernels, cured
from whydied.replay.execution.replay_errors import OutOfTime, ReplayError
from whydied.replay.execution.value_slots import Memory
from whydied.replay.trials import Trials

_PROVING = 0.8
"""The part of the time after which no further trial is begun; what was found by then is told."""
_DRAWING = 0.3
_LARGEST_DRAWS = 40
"""The part of the time, and how often, random numbers are drawn again where a step with others was finite."""
_RUNNING_ON = 0.5
"""The part of the time after which no further run of a session is executed."""
_LARGEST_WATCHED = 60
LARGEST_TRIED = 8
_QUICK_S = 2.0
_ROOM_BYTES = 256 << 20
"""For values kept in the first execution, which spares a second one where they are enough."""


def replay(directory: str, seconds: float, progress: Callable[[str], None]) -> Replay:
    """Run a captured step again and find out. Never raises for what it finds in the capture. The time begins once
    TensorFlow is there."""
    began = time.monotonic()
    try:
        kernels = Kernels()
        began = time.monotonic()
        found = _replay(directory, kernels, began, seconds, progress)
    except ReplayError as error:
        found = Replay(directory=directory, status="failed", reason=str(error))
    except MemoryError:
        found = Replay(directory=directory, status="failed", reason="the memory given to the replay was not enough")
    except Exception as error:
        # A mistake of ours, which the report of the run must survive.
        reason = f"the replay itself failed: {type(error).__name__}: {error}"
        found = Replay(directory=directory, status="failed", reason=reason[:500])
    return structs.replace(found, wall_s=round(time.monotonic() - began, 3))


def _replay(directory: str, kernels: Kernels, began: float, seconds: float, progress: Callable[[str], None]) -> Replay:
    scene = Scene(directory, kernels)
    if not scene.targets:
        raise ReplayError("the capture names no bad value to look for")
    until = began + seconds
    program = Program(scene.graph(), kernels)
    interpreter = _interpreter(scene, program, until)
    progress("replaying the step")
    started = time.monotonic()
    trace = interpreter.run(scene.targets, room_bytes=_ROOM_BYTES, strict=False)
    if all(trace.reasons):
        raise ReplayError(trace.reasons[0])
    goal = first_bad_value.goal(trace, first_bad_value.roles(scene.capture, scene.targets))
    draws = 0
    while (
        goal is None and trace.random_ops and draws < _LARGEST_DRAWS and time.monotonic() < began + seconds * _DRAWING
    ):
        draws += 1
        interpreter.draw_anew()
        trace = interpreter.run(scene.targets, room_bytes=_ROOM_BYTES, strict=False)
        goal = first_bad_value.goal(trace, first_bad_value.roles(scene.capture, scene.targets))
    ran_on = None
    if goal is None and scene.capture.runs:
        progress("running the recorded runs of the session")
        reached = running_on.first_bad_run(scene, began + seconds * _RUNNING_ON)
        if reached is not None:
            scene.move_to(reached.run, reached.variables)
            interpreter = _interpreter(scene, program, until)
            trace = interpreter.run(scene.targets, room_bytes=_ROOM_BYTES, strict=False)
            goal = first_bad_value.goal(trace, first_bad_value.roles(scene.capture, scene.targets))
            ran_on = reached.told if goal is not None else None
    found = Replay(
        directory=directory,
        status="finite",
        executed=_executed(scene, trace, draws),
        ops=len(trace.events),
        draws=draws,
        ran_on=ran_on,
    )
    if goal is None:
        trials = Trials(interpreter, kernels, scene.batch(), scene.targets, began + seconds * _PROVING)
        return structs.replace(found, reason=_why_finite(scene, trace), near=_near(scene, program, trials, trace))
    wanted = tuple(scene.targets[number] for number in goal.numbers)
    step_s = time.monotonic() - started
    trials = Trials(interpreter, kernels, scene.batch(), wanted, began + seconds * _PROVING)
    progress("looking for the first bad value")
    return _explained(
        structs.replace(found, status="reproduced"), scene, program, trials, trace, goal, step_s, progress
    )


def _near(scene: Scene, program: Program, trials: Trials, trace: Trace) -> FoundOp | None:
    try:
        return near_edge.near_op(scene, program, trials, trace)
    except ReplayError:
        return None


def _interpreter(scene: Scene, program: Program, until: float) -> Interpreter:
    kernels = scene.kernels
    feeds: dict[Source, object] = dict(scene.missing_feeds)
    for source, array in scene.feeds.items():
        feeds[source] = kernels.tensor(array, scene.fed[source].dtype)
    values = {node: kernels.tensor(array, scene.state[node].dtype) for node, array in scene.variables.items()}
    return Interpreter(program, kernels, Memory(kernels, values, scene.missing_variables), feeds, until)


def _explained(
    found: Replay,
    scene: Scene,
    program: Program,
    trials: Trials,
    trace: Trace,
    goal: first_bad_value.Goal,
    step_s: float,
    progress: Callable[[str], None],
) -> Replay:
    """What was found, with the first op, what brought it, and the way from there."""
    ends = [trace.targets[number] for number in goal.numbers]
    way = first_bad_value.way(trace, ends)
    root = _chosen_root(scene, trace, way, trials)
    trials.cure_always(root.others)
    path = first_bad_value.path(trace, way, root.event.number, ends)
    watched = _watch(trials, trace, path, step_s)
    first = _first(scene, trace, root.event, path, watched)
    values = watched.get(first.place) if first is not None else None
    case = blame.Case(scene, program, trace, trials, root.event, first, values)
    op = described_ops.found_op(scene, program, trace, first, values) if first is not None else None
    progress("trying other rows and weights")
    decided = _decided(case)
    if decided.kind not in ("data", "constant", "precision"):
        progress("looking for a learning rate at which the loss falls")
        found = structs.replace(found, descent=_descended(scene, trials))
    if decided.kind == "weight":
        found = structs.replace(found, before=_counted(scene, program, trials))
    if first is not None and op is not None:
        found = structs.replace(found, levels=magnitudes.levels(scene, program, trials, trace, first, op))
    return structs.replace(found, first=op, blame=decided, chain=bad_value_path.links(case, decided, op, path, watched))


class _Root(NamedTuple):
    """The first event of the chosen place. `others` are places of bad values that spoil the step by themselves."""

    event: Event
    others: frozenset[Site]


def _chosen_root(scene: Scene, trace: Trace, found: first_bad_value.Way, trials: Trials) -> _Root:
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
                return _Root(event, frozenset())
    if len(order) > 1:
        for event in order[:LARGEST_TRIED]:
            if _is_enough(scene, trials, event):
                return _Root(event, frozenset())
    first = order[0]
    return _Root(first, frozenset(event.site for event in order[1:] if not event.leaf))


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


def _decided(case: blame.Case) -> Blame:
    try:
        return blame.decide(case)
    except OutOfTime:
        return Blame(kind="op", words="there was not enough time to try other rows and weights")


def _descended(scene: Scene, trials: Trials) -> Descent | None:
    try:
        return descent.descent(scene, trials)
    except OutOfTime:
        return None


def _counted(scene: Scene, program: Program, trials: Trials) -> FoundOp | None:
    try:
        return step_before.counted_op(scene, program, trials)
    except OutOfTime:
        return None


def _watch(trials: Trials, trace: Trace, path: list[int], took_s: float) -> bad_value_path.Watched:
    """The values on the way. Where there was no room for them, from the same execution once more: always for the first
    op, for the others only where that does not take long."""
    ops = [trace.events[number] for number in path if not trace.events[number].leaf]
    chosen = frozenset(event.place for event in ops[: _LARGEST_WATCHED // 2] + ops[-_LARGEST_WATCHED // 2 :])
    first = next((event.place for event in ops if event.node.op not in op_kinds.PASSING), None)
    if chosen <= trace.kept.keys() or trials.is_over or (first in trace.kept and took_s > _QUICK_S):
        return trace.kept
    try:
        return {**trace.kept, **trials.watch(chosen).kept}
    except OutOfTime:
        return trace.kept


def _first(scene: Scene, trace: Trace, root: Event, path: list[int], watched: bad_value_path.Watched) -> Event | None:
    """The op to report: the root itself, or the first op that a bad leaf came to."""
    if not root.leaf:
        return root
    import numpy

    row = [trace.events[number] for number in path if not trace.events[number].leaf]
    if root.leaf == "constant":
        for event in row:
            kept = watched.get(event.place)
            output = described_ops.bad_output(scene, event, kept) if kept is not None else None
            if output is not None and numpy.isnan(output).any():
                return event
    return next((event for event in row if event.node.op not in op_kinds.PASSING), row[0] if row else None)


def _executed(scene: Scene, trace: Trace, draws: int) -> str:
    kinds = {
        "traced": "the graph of the step",
        "session": "the graph of the session's step",
        "eager": "the ops that the step executed",
    }
    text = (
        f"{kinds.get(scene.capture.kind, 'the step')}, {len(trace.events):,} ops on the CPU, without the program's code"
    )
    if scene.capture.recorded_step is not None:
        text += f"; the ops are those of step {scene.capture.recorded_step}"
    if trace.random_ops:
        text += f"; the random numbers of {len(trace.random_ops)} ops were drawn again"
        text += f", {draws + 1} times" if draws else ""
    if trace.left_out:
        text += f"; left out: {', '.join(sorted(trace.left_out)[:5])}"
    return text


def _why_finite(scene: Scene, trace: Trace) -> str:
    reason = next(filter(None, trace.reasons), "")
    if reason:
        return f"the available values were finite; {reason}"
    if scene.capture.missing:
        return "all values were finite; " + "; ".join(scene.capture.missing[:3])
    return "all values were finite in the replay"
