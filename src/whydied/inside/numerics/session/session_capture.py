"""Writes a captured run of a session: its graph, its feeds and the variables as they last were finite; runs in the
user's process, when something is wrong already.

Invariant: the graph is only read, and is not changed by it. The values of variables are those of the last
finite reading, which may lie some runs back: `moment` and `steps_before` say so.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple

from whydied import words
from whydied.inside import journal
from whydied.inside.guest import garbage_collection
from whydied.inside.model.layer_lines import LineMaker
from whydied.inside.numerics import step_file
from whydied.inside.numerics.array_rows import Rows
from whydied.inside.numerics.session.session_plan import Plan, Variable
from whydied.inside.numerics.session.session_rerun import FedRun
from whydied.inside.numerics.session.session_state import State
from whydied.inside.numerics.step_file import CaptureDirectory, numbers_of
from whydied.records import Capture, CapturedRun, FedValue, Frame, Lines, NormsSeen, StateValue, StepCaptured, Suspect


class Candidate(NamedTuple):
    """A run that may be the bad one, its number among those of its fetch, and what it was fed."""

    run: FedRun
    step: int
    given: list[tuple[Any, Any]]
    rows: list[Rows | None]
    names: list[str]


class Bad(NamedTuple):
    """What is to be captured. `given` is what the run was fed with, `before` how many training runs lie between the
    kept values and its start. `now` are the values that were read when it was noticed, for which `moment` says what
    they are of the run."""

    session: Any
    plan: Plan
    step: int | None
    at: int
    given: list[tuple[Any, Any]]
    state: State
    before: int
    now: list[Any] | None
    moment: str
    suspects: list[Suspect]
    late: str
    losses: dict[int, float]
    rate: float | None
    missing: list[str]
    frames: list[Frame]
    rows: list[Rows | None]
    names: list[str]
    stopped: bool
    runs: Sequence[Candidate] = ()
    """Where it is not sure that this was the run: all that may be it."""


def write(bad: Bad) -> str | None:
    """Write all of it and tell of it. Returns the directory, None where no more captures are wanted."""
    directory = step_file.open_capture()
    if directory is None:
        return None
    with garbage_collection.held_off():
        missing = [*bad.missing, *_missing(bad)]
        plans = {id(plan): plan for plan in (bad.plan, *(one.run.course.plan for one in bad.runs))}
        graph = _graph(list(plans.values()), bad.session.graph)
        if graph is None or not directory.graph(graph):
            missing.append("The graph of the step is too large to keep.")
        directory.lines(_lines(bad, list(plans.values())))
        slots = {variable.node: variable for plan in plans.values() for variable in (*plan.variables, *plan.slots)}
        for variable in bad.plan.variables:
            slots.pop(variable.node, None)
        capture = Capture(
            kind="session",
            suspects=bad.suspects,
            function=bad.plan.name,
            fed=[
                _fed(directory, tensor, value, rows, name)
                for (tensor, value), rows, name in zip(bad.given, bad.rows, bad.names, strict=True)
            ],
            state=_state(directory, bad, bad.plan.variables),
            targets=[tensor.name for tensor in (*bad.plan.losses, *(update.tensor for update in bad.plan.updates))],
            losses=[tensor.name for tensor in bad.plan.losses] if bad.plan.trains else [],
            runs=[_run(directory, one) for one in bad.runs],
            runs_from=bad.state.kept_at,
            slots=_state(directory, bad, slots.values()) if bad.runs else [],
            missing=missing,
            versions=step_file.versions(),
        )
        size = directory.finish(capture)
    _tell(bad, directory, missing, size)
    return directory.path


def _tell(bad: Bad, directory: CaptureDirectory, missing: list[str], size: int) -> None:
    journal.write(
        StepCaptured(
            directory=directory.name,
            kind="session",
            suspects=bad.suspects,
            function=bad.plan.name,
            frames=bad.frames,
            step=bad.step,
            missing=missing,
            size_bytes=size,
            late=bad.late,
            stopped=bad.stopped,
        )
    )
    norms = norms_seen(bad.plan.name, bad.state, bad.losses, "capture", bad.rate, bad.frames)
    if norms is not None:
        journal.write(norms)


def norms_seen(
    function: str, state: State, losses: dict[int, float], moment: str, rate: float | None, frames: list[Frame]
) -> NormsSeen | None:
    """The norms of the weights at the readings of a session: its gradients are not seen."""
    rows = list(state.norms)
    if not rows:
        return None
    told = [losses.get(row.at) for row in rows]
    return NormsSeen(
        function=function,
        names=[variable.name for variable in state.variables if variable.role == "weight"],
        steps=[row.at for row in rows],
        norms=[row.norms for row in rows],
        of="weight",
        moment=moment,
        weights=[*rows[-1].norms],
        losses=[loss for loss in told if loss is not None] if None not in told else [],
        learning_rate=rate,
        frames=frames,
    )


def _missing(bad: Bad) -> list[str]:
    plan, found = bad.plan, []
    if bad.state.too_large:
        found.append("The variables are too large to keep, so their values before the step are not known.")
    elif bad.state.kept is None and bad.moment != "start":
        found.append("The variables were never read while they were finite.")
    elif bad.before:
        found.append(f"The variables are those of {words.count(bad.before, 'run')} before the step.")
    if plan.random:
        found.append("The random numbers of the step were not kept: the replay draws others.")
    found += [f"What {name} passed into the step was not kept." for name in plan.unseen]
    fed = {tensor.name for tensor, _ in bad.given}
    unknown = [tensor.name for tensor in plan.sources if tensor.name not in fed]
    return found + [f"The value of {name} in the step is not known." for name in unknown]


def _graph(plans: list[Plan], graph: Any) -> Any:
    """The part of the graph that some runs executed, with all functions."""
    try:
        whole = graph.as_graph_def()
    except ValueError:
        # Beyond the two gigabytes that a protocol buffer can hold.
        return None
    wanted = {op.name for plan in plans for op in plan.ops}
    part = type(whole)()
    part.versions.CopyFrom(whole.versions)
    part.library.CopyFrom(whole.library)
    part.node.extend(node for node in whole.node if node.name in wanted)
    return part


def _lines(bad: Bad, plans: list[Plan]) -> Lines:
    maker = LineMaker()
    found = {"": maker.of_ops({op.name: op for plan in plans for op in plan.ops}.values())}
    for name, function in list(getattr(bad.session.graph, "_functions", {}).items()):
        inner = getattr(function, "graph", None)
        if inner is not None:
            found[str(name)] = maker.of_ops(inner.get_operations())
    return Lines(functions=found)


def _fed(directory: CaptureDirectory, tensor: Any, value: Any, rows: Rows | None, name: str) -> FedValue:
    file, reason = directory.array(tensor.op.name, value)
    rank = len(value.shape)
    return FedValue(
        tensor=tensor.name,
        name=_fed_name(tensor, name),
        role="batch" if rank and value.shape[0] != 1 else "other",
        shape=list(value.shape),
        dtype=str(tensor.dtype.base_dtype.name),
        file=file,
        reason=reason,
        rows=rows.rows if rows is not None else [],
        data_set=rows.name if rows is not None else "",
        numbers=numbers_of(value),
    )


def _fed_name(tensor: Any, variable: str) -> str:
    """The name that the user gave to a placeholder, else that of the variable that holds it."""
    name = str(tensor.op.name)
    if variable and _NAMELESS.search(name):
        return variable
    return name if len(tensor.op.outputs) == 1 else f"{name}:{tensor.value_index}"


_NAMELESS = re.compile(r"(^|/)(Placeholder(WithDefault)?|IteratorGetNext|\w*_?[Dd]equeue\w*|(Eager)?PyFunc\w*)(_\d+)?$")


def _run(directory: CaptureDirectory, one: Candidate) -> CapturedRun:
    plan: Plan = one.run.course.plan
    return CapturedRun(
        at=one.run.at,
        step=one.step,
        tops=[op.name for op in plan.tops],
        fed=[
            _fed(directory, tensor, value, rows, name)
            for (tensor, value), rows, name in zip(one.given, one.rows, one.names, strict=True)
        ],
        losses=[tensor.name for tensor in plan.losses],
        updates=[update.tensor.name for update in plan.updates],
    )


def _state(directory: CaptureDirectory, bad: Bad, variables: Iterable[Variable]) -> list[StateValue]:
    kept = bad.state.kept
    if bad.moment == "start":
        values, moment, before = bad.now, "start", 0
    elif kept is not None:
        values, moment, before = kept, "earlier" if bad.before else "start", bad.before
    else:
        values, moment, before = bad.now, "later", 0
    known = dict(zip([one.node for one in bad.state.variables], values, strict=True)) if values is not None else {}
    found = []
    for variable in variables:
        value = known.get(variable.node)
        file, reason = directory.array(variable.name, value) if value is not None else (None, "it could not be read")
        found.append(
            StateValue(
                node=variable.node,
                name=variable.name,
                role=variable.role,
                shape=list(value.shape) if value is not None else [],
                dtype=variable.dtype,
                moment=moment if file is not None else "missing",
                file=file,
                reason=reason,
                steps_before=before,
                numbers=numbers_of(value) if value is not None else None,
            )
        )
    return found
