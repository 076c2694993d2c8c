"""Executes the runs of a session from the variables as they were last read, to the first one that is bad; runs in the
process of the replay.

In a session the weights are read only now and then, so those of the bad run are mostly not known: with older ones its
updates are finite. What the runs between were fed is known, and their graph with the optimizer is captured.

Invariant: only ops are executed that compute, draw random numbers or write variables; where a run has another op
with an effect, none is executed.
"""

from __future__ import annotations

import re
import time
from collections.abc import Iterable
from typing import Any, NamedTuple

from whydied.inside.numerics import step_file
from whydied.records import CapturedRun, RanOn
from whydied.replay.captured_step import Scene
from whydied.replay.execution.op_kernels import all_finite
from whydied.replay.execution.replay_errors import ReplayError

_WRITES = re.compile(r"(Resource)?(Sparse)?Apply[A-Z]|Assign(Add|Sub)?(Variable(X?Op))?$|(Resource)?Scatter")
_PLAIN = frozenset(
    {"VarHandleOp", "VariableV2", "Variable", "ReadVariableOp", "VarIsInitializedOp", "IsVariableInitialized"}
    | {"VariableShape", "ResourceGather", "ResourceGatherNd", "Placeholder", "Assert", "CheckNumerics"}
)
_RANDOM = frozenset({"RandomUniform", "RandomStandardNormal", "TruncatedNormal", "RandomUniformInt", "RandomShuffle"})
_LARGEST_RUNS = 2000


class Reached(NamedTuple):
    """The bad run, with the values that its variables had at its start."""

    run: CapturedRun
    variables: dict[str, Any]
    told: RanOn


def first_bad_run(scene: Scene, until: float) -> Reached | None:
    """None where all runs are finite, or cannot be executed."""
    runs = scene.capture.runs
    values = {**scene.variables, **_slots(scene)}
    if not runs or not values:
        return None
    graph_def = scene.graph()
    kinds = [kind for run in runs for kind in _kinds(graph_def, run)]
    if any(scene.kernels.is_stateful(kind) and not _is_plain(kind) for kind in kinds):
        return None
    asked = runs[-1].at - scene.capture.runs_from + 1
    exact = len(runs) == asked and _RANDOM.isdisjoint(kinds)
    # The data of runs that is gone is replaced by that of others: the program went through the same data too.
    order = [runs[number % len(runs)] for number in range(min(asked if exact else 2 * asked, _LARGEST_RUNS))]
    try:
        with _Session(scene, graph_def, values) as session:
            for number, run in enumerate(order):
                if time.monotonic() > until:
                    return None
                before = session.variables()
                if not session.is_finite(run):
                    step = run.step if len(runs) == asked else None
                    return Reached(run, before, RanOn(at=run.at, runs=number, step=step, exact=exact))
    except scene.kernels.tensorflow.errors.OpError:
        return None
    return None


class _Session:
    """A session that has the graph of the capture and some values of its variables."""

    def __init__(self, scene: Scene, graph_def: Any, values: dict[str, Any]) -> None:
        self._scene = scene
        self._v1 = scene.kernels.tensorflow.compat.v1
        self._graph = scene.kernels.tensorflow.Graph()
        self._nodes = list(values)
        self._fed: dict[int, dict[str, Any]] = {}
        with self._graph.as_default():
            try:
                self._v1.import_graph_def(graph_def, name="")
            except ValueError as error:
                raise ReplayError(f"the graph of the runs cannot be loaded: {error}") from None
            raw = scene.kernels.tensorflow.raw_ops
            self._reads, given = [], {}
            writes = []
            for node, value in values.items():
                holder = self._graph.get_tensor_by_name(f"{node}:0")
                new = self._v1.placeholder(value.dtype, value.shape)
                given[new] = value
                if holder.op.type == "VarHandleOp":
                    writes.append(raw.AssignVariableOp(resource=holder, value=new))
                    self._reads.append(raw.ReadVariableOp(resource=holder, dtype=new.dtype))
                else:
                    writes.append(self._v1.assign(holder, new, validate_shape=False).op)
                    self._reads.append(holder)
        self._session = self._v1.Session(graph=self._graph)
        self._session.run(writes, given)

    def __enter__(self) -> _Session:
        return self

    def __exit__(self, *_: object) -> None:
        self._session.close()

    def variables(self) -> dict[str, Any]:
        return dict(zip(self._nodes, self._session.run(self._reads), strict=True))

    def is_finite(self, run: CapturedRun) -> bool:
        """Execute a run. Were its losses and updates finite?"""
        feeds = self._fed.get(run.at)
        if feeds is None:
            feeds = self._fed[run.at] = {
                fed.tensor: step_file.load(self._scene.directory, fed.file, fed.dtype)
                for fed in run.fed
                if fed.file is not None
            }
        wanted = [name for name in (*run.losses, *run.updates) if name not in feeds]
        operations = [self._graph.get_operation_by_name(name) for name in run.tops]
        values, _ = self._session.run([wanted, operations], feeds)
        return all(value.dtype.kind not in "fc" or all_finite(value) for value in values)


def _slots(scene: Scene) -> dict[str, Any]:
    found = {}
    for slot in scene.capture.slots:
        try:
            if slot.file is not None:
                found[slot.node] = step_file.load(scene.directory, slot.file, slot.dtype)
        except (OSError, ValueError):
            continue
    return found


def _is_plain(kind: str) -> bool:
    return kind in _PLAIN or kind in _RANDOM or _WRITES.match(kind) is not None


def _kinds(graph_def: Any, run: CapturedRun) -> Iterable[str]:
    """The kinds of the ops that a run executes; what is fed needs none."""
    nodes = {node.name: node for node in graph_def.node}
    fed = {value.tensor.rpartition(":")[0] for value in run.fed if value.file is not None}
    waiting, seen = [*run.tops], set(fed)
    while waiting:
        name = waiting.pop()
        if name in seen or name not in nodes:
            continue
        seen.add(name)
        yield nodes[name].op
        waiting += [text.lstrip("^").partition(":")[0] for text in nodes[name].input]
