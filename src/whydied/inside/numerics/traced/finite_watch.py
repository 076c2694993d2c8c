"""Adds to a traced step the nodes that notice a value which is not finite; runs in the user's process, at the end of a
trace.

    losses, gradients ─ L2Loss ─┬─ Pack ─ ring (the norms of the last steps)
                                └─ AddN, finite? ─ Switch ─┬──────────────────────── Merge ─► writers wait for it
                                                           └─ ask ─ Switch ─ dump ────┘

A node with a dead input does not run: while all is finite, the two PyFuncs with all their inputs cost nothing, and
nothing is copied. Writers that wait leave the variables as they were at the start of the step, and so the dump finds
them. Where gradients are large, a writer waits for the check of its own gradient only (see `update_gates`):

    its numbers ─ AddN, finite? ─ Switch ─┬──────────────────── Merge ─► the writers of its variable wait for it
                                          └─ the check of all ───┘

XLA takes none of our nodes into a step that it compiles. So the variables are looked at after it, from the graph that
calls it, and what they were before is kept by holding on to their values: XLA then writes into new memory.

Invariant: the ops of the program, and compiled functions, stay as they are, with their names; the graph gets no new
input and no new output; no cycle is made, because a writer that a watched value needs does not wait.
"""

from __future__ import annotations

import itertools
import os
import re
import weakref
from collections.abc import Callable
from typing import Any, NamedTuple

from whydied.inside.model import graph_ops
from whydied.inside.model.layer_lines import Origin
from whydied.inside.numerics import hidden_ops
from whydied.inside.numerics.first_losses import FirstLosses
from whydied.inside.numerics.traced import (
    finite_digest,
    gradients_seen,
    time_first,
    update_gates,
    variable_handles,
    variable_writes,
    watched_tensors,
)
from whydied.inside.numerics.traced.finite_digest import Measure, Measures
from whydied.inside.numerics.traced.gradients_seen import TrainingSeen
from whydied.inside.numerics.traced.variable_writes import Writer
from whydied.inside.numerics.traced.watched_tensors import Item

LARGEST_KEPT_BYTES = 1 << 18
"""Of state that the forward pass changes, what is read before; of all variables together."""
LARGEST_COMPILED_BYTES = 64 << 20
"""The same of a compiled step."""
LARGEST_COMPILED_ITEMS = 400
LARGEST_PASSED_BYTES = 1 << 30
"""Gradients above this are not passed on: they would all have to live until the check. Nor do writers wait then."""
_ATTRIBUTE = "_whydied_plans"
_FED = frozenset({"IteratorGetNext", "IteratorGetNextSync", "OptionalGetValue"})
_INNER = re.compile(r"_(true|false|body|cond|branch\d+)_\d+$")
ROWS = 64
_ring_numbers = itertools.count()
_left: list[list[Any]] = []


class Ring:
    """What a watched step leaves in each round: its number and the norms of the last `ROWS` steps. Two variables of
    TensorFlow's, made outside of all graphs and reached from one by name, so that the graph captures nothing. They are
    of no object of the program's, and are gone when the last graph that uses them is."""

    def __init__(self, width: int) -> None:
        self.width = width
        self._name = f"whydied_{os.getpid()}_{next(_ring_numbers)}"
        self._pid = os.getpid()
        tf = hidden_ops.tensorflow()
        with hidden_ops.eagerly():
            _destroy_left(tf)
            zeros = {
                "steps": (tf.int64, tf.zeros([], tf.int64)),
                "norms": (tf.float32, tf.zeros([ROWS, width], tf.float32)),
            }
            self._handles = {name: self._handle(name, dtype, value.shape) for name, (dtype, value) in zeros.items()}
            for name, (_, value) in zeros.items():
                tf.raw_ops.AssignVariableOp(resource=self._handles[name], value=value)

    def in_graph(self, name: str) -> Any:
        """The handle of a variable, as a node of the current graph."""
        tf = hidden_ops.tensorflow()
        dtype = {"steps": tf.int64, "norms": tf.float32}[name]
        shape = {"steps": [], "norms": [ROWS, self.width]}[name]
        return self._handle(name, dtype, shape)

    def read(self) -> tuple[int, Any]:
        """The number of steps so far, and the rows of the last ones in their order."""
        import numpy

        tf = hidden_ops.tensorflow()
        with hidden_ops.eagerly():
            steps = int(tf.raw_ops.ReadVariableOp(resource=self._handles["steps"], dtype=tf.int64).numpy())
            rows = tf.raw_ops.ReadVariableOp(resource=self._handles["norms"], dtype=tf.float32).numpy()
        if steps <= ROWS:
            return steps, rows[:steps]
        return steps, numpy.roll(rows, -(steps % ROWS), axis=0)

    def _handle(self, name: str, dtype: Any, shape: Any) -> Any:
        tf = hidden_ops.tensorflow()
        return tf.raw_ops.VarHandleOp(dtype=dtype, shape=shape, shared_name=f"{self._name}_{name}", container="")

    def __del__(self) -> None:
        # Not here: a finaliser runs at any moment and in any thread.
        if self._pid == os.getpid() and len(_left) < 10_000:
            _left.append(list(getattr(self, "_handles", {}).values()))


def _destroy_left(tf: Any) -> None:
    while _left:
        for handle in _left.pop():
            tf.raw_ops.DestroyResourceOp(resource=handle, ignore_lookup_error=True)


class Plan:
    """A check of a graph, as long as the graph lives. It holds the graph, and hangs on it."""

    def __init__(self, graph: Any, items: list[Item], known: TrainingSeen) -> None:
        self.graph = graph
        self.function = _function_name(graph)
        self.items = items
        self.ring: Ring | None = None
        self.first = FirstLosses(self.function)
        self.measures: list[Measure] = []
        """What the columns of the ring are."""
        self.fed: list[Any] = []
        self.stand_ins: list[Any] = []
        """What is passed to the dump for each of them."""
        self.kept: list[Any] = []
        """Handles of the variables whose values of the start are passed to the dump."""
        self.moved: set[int] = set()
        """Ids of the handles that may have been written when the dump runs."""
        self.gated: dict[int, int] = {}
        """Numbers of the items whose gates let variables be written, by the ids of their handles."""
        self.guards: dict[int, frozenset[int]] = {}
        """The items that must be finite for a gate to open early, by its number."""
        self.passed = True
        self.compiled = any(is_compiled(op) for op in graph.get_operations())
        """Whether the step itself is a function that XLA compiles, which is looked at from outside, after it ran."""
        self.optimizers = list(known.optimizers)
        self.evaluates = known.evaluates
        self.scopes: dict[int, dict[str, Origin]] = {}
        self.called: dict[int, str] = {}
        """What the program calls its variables, by the id of their handles, where they were given no name."""
        self.muted: set[int] = set()
        """Numbers of the items that are not worth a dump any more."""
        self.overflows: set[int] = set()
        """Of those, the ones whose squares overflowed while they were finite."""
        self.calls_after = 0
        """How many calls came after the one that was kept, before the trouble was noticed."""


class Work(NamedTuple):
    """What is done in the bad case. `ask(plan, values)` says whether the step is worth a dump, and is cheap: a program
    that has gone bad asks in every step. `dump(plan, values)` returns the words with which the program is to stop."""

    ask: Callable[[Plan, tuple[Any, ...]], bool | None]
    dump: Callable[[Plan, tuple[Any, ...]], str | None]


class Options(NamedTuple):
    stop: bool = False
    spread: bool = False
    """Whether values live on other devices, from which they are to be fetched only in the bad case."""


def _function_name(graph: Any) -> str:
    """That of the function which a branch or a loop belongs to."""
    while _INNER.search(str(graph.name)) and hasattr(graph.outer_graph, "outer_graph"):
        graph = graph.outer_graph
    return str(graph.name)


def plans_of(graph: Any) -> list[Plan]:
    return list(getattr(graph, _ATTRIBUTE, ()))


def instrument(graph: Any, work: Work, options: Options, trainable: dict[int, bool]) -> list[Plan]:
    """Watch a graph whose trace is over. The plans are those of the checks that were added."""
    found = variable_writes.writers(graph)
    known = gradients_seen.of(graph)
    writes = any(writer.value is None or writer.value.dtype.is_floating for writer in found)
    if not writes and not known.predicts:
        return []
    gradients_seen.forget(graph)
    if known.predicts:
        checks = watched_tensors.returned(graph)
    else:
        checks = watched_tensors.choose(graph, known, found, trainable) or _compiled_checks(graph, found, trainable)
    before: set[Any] = set()
    plans = []
    for items in checks:
        before = before | graph_ops.ancestors(item.tensor.op for item in items)
        plan = Plan(graph, items, known)
        _add(plan, found, before, work, options)
        plans.append(plan)
    setattr(graph, _ATTRIBUTE, plans)
    return plans


def is_compiled(op: Any) -> bool:
    return op.type == "StatefulPartitionedCall" and bool(op.node_def.attr["_XlaMustCompile"].b)


def _compiled_checks(graph: Any, found: list[Writer], trainable: dict[int, bool]) -> list[list[Item]]:
    """One check: the scalars that compiled calls return, and the variables that they have written."""
    calls = list({writer.op: None for writer in found if is_compiled(writer.op)})
    if not calls:
        return []
    raw, ops = hidden_ops.tensorflow().raw_ops, hidden_ops.module("framework.ops")
    items = [
        Item(tensor, "metric", None, None, True)
        for call in calls
        for tensor in call.outputs
        if tensor.shape.rank == 0 and tensor.dtype.name == "float32"
    ]
    with hidden_ops.in_graph(graph):
        for writer in found[:LARGEST_COMPILED_ITEMS]:
            dtype = _float(writer.handle) if writer.op in calls and trainable.get(id(writer.handle), True) else None
            if dtype is not None:
                with ops.control_dependencies([writer.op]):
                    read = raw.ReadVariableOp(resource=writer.handle, dtype=dtype)
                items.append(Item(read, "weight", writer.handle, None, False))
    return [items]


def _float(handle: Any) -> Any:
    dtype, _ = variable_handles.symbolic_facts(handle)
    return dtype if dtype is not None and dtype.is_floating else None


def _add(plan: Plan, found: list[Writer], before: set[Any], work: Work, options: Options) -> None:
    graph = plan.graph
    plan.fed = _fed(graph, before)
    plan.stand_ins = [time_first.of(tensor, before) for tensor in plan.fed]
    plan.passed = sum(update_gates.bytes_of(item.tensor) for item in plan.items) <= LARGEST_PASSED_BYTES
    early = [writer for writer in found if writer.op in before or not plan.passed]
    plan.moved = {id(writer.handle) for writer in early}
    gates = update_gates.choose(graph, plan.items, found, before, options.stop) if plan.passed else update_gates.NONE
    plan.gated = gates.owners
    with hidden_ops.in_graph(graph):
        reads = _reads_before(plan, early)
        measured = finite_digest.of_items(plan.items)
        guards = _guards(plan, measured, gates.large)
        passed = [guards[number].value if number in guards else item.tensor for number, item in enumerate(plan.items)]
        ready = _check(plan, measured, [*plan.stand_ins, *(passed if plan.passed else []), *reads], work, options)
        opened = {number: _gate(ready, guards[number]) for number in gates.waiting if number is not None}
    if not options.spread:
        _in_turn(plan, guards)
    for number, ops in gates.waiting.items():
        for op in ops:
            op._add_control_input(ready.op if number is None else opened[number])
    if not any(gates.waiting.values()):
        graph.control_outputs.append(ready.op)


class _Guard(NamedTuple):
    """Of a large item, whether it and the losses before it are finite, and its value where they are not."""

    fine: Any
    value: Any
    done: Any
    """The op after which the item itself is not needed any more, if it is fine."""


def _guards(plan: Plan, measured: Measures, large: set[int]) -> dict[int, _Guard]:
    """In the order of the step, which is that of the creation: what an op needs was made before it."""
    place = {op: number for number, op in enumerate(plan.graph.get_operations())}
    places = [place[item.tensor.op] for item in plan.items]
    losses = [number for number, item in enumerate(plan.items) if item.role == "loss"]
    found = {}
    for number in sorted(large, key=places.__getitem__):
        needed = frozenset([number, *(loss for loss in losses if places[loss] < places[number])])
        plan.guards[number] = needed
        found[number] = _guard(plan.items[number].tensor, measured, needed)
    return found


def _guard(tensor: Any, measured: Measures, needed: frozenset[int]) -> _Guard:
    tf = hidden_ops.tensorflow()
    raw, ops = tf.raw_ops, hidden_ops.module("framework.ops")
    pairs = zip(measured.tensors, measured.measures, strict=True)
    own = [scalar for scalar, measure in pairs if needed.issuperset(measure.items)]
    with ops.device("/device:CPU:0"):
        fine = raw.IsFinite(x=raw.AddN(inputs=own))
        nothing = raw.Switch(data=tf.constant([], tensor.dtype), pred=fine)[1]
    bad = raw.Switch(data=tensor, pred=fine)[0]
    return _Guard(fine, raw.Merge(inputs=[bad, nothing])[0], bad.op)


def _in_turn(plan: Plan, guards: dict[int, _Guard]) -> None:
    """Each large item is computed after the one before it was looked at. Else TensorFlow may go on with the backward
    pass, and have several alive that without us would have been applied by then."""
    for earlier, later in itertools.pairwise(guards):
        op = plan.items[later].tensor.op
        if op is not plan.items[earlier].tensor.op and op.type != "Placeholder":
            op._add_control_input(guards[earlier].done)


def _gate(ready: Any, guard: _Guard) -> Any:
    """The op that runs as soon as one item is known to be fine, else after the check of all."""
    raw, ops = hidden_ops.tensorflow().raw_ops, hidden_ops.module("framework.ops")
    with ops.device("/device:CPU:0"), ops.control_dependencies([guard.done]):
        good = raw.Switch(data=guard.fine, pred=guard.fine)[1]
        return raw.Merge(inputs=[good, raw.Switch(data=ready, pred=guard.fine)[0]])[0].op


def _check(plan: Plan, measured: Measures, values: list[Any], work: Work, options: Options) -> Any:
    """The nodes that check and, in the bad case, call the dump; the tensor for which writers are to wait."""
    tf = hidden_ops.tensorflow()
    raw, ops = tf.raw_ops, hidden_ops.module("framework.ops")
    plan.measures = measured.measures
    plan.ring = Ring(len(measured.tensors))
    with ops.device("/device:CPU:0"):
        packed = raw.Pack(values=measured.tensors)
        number = raw.ResourceCountUpTo(resource=plan.ring.in_graph("steps"), limit=1 << 62, T=tf.int64)
        row = raw.FloorMod(x=number, y=tf.constant(ROWS, tf.int64))
        kept = raw.ResourceScatterUpdate(resource=plan.ring.in_graph("norms"), indices=row, updates=packed)
        fine = raw.IsFinite(x=raw.AddN(inputs=measured.tensors))
        bad, good = raw.Switch(data=fine, pred=fine)
        with ops.control_dependencies([kept]):
            asked = raw.PyFunc(input=[bad, packed], token=_registered(plan, work.ask), Tout=[tf.bool])[0]
        skip, go = raw.Switch(data=asked, pred=asked)
    values = [time_first.passed(value, asked) for value in values]
    if options.spread:
        values = [raw.Switch(data=value, pred=asked)[1] for value in values]
    with ops.device("/device:CPU:0"):
        answer, message = raw.PyFunc(
            input=[go, number, packed, *values], token=_registered(plan, work.dump), Tout=[tf.bool, tf.string]
        )
        if options.stop:
            with ops.control_dependencies([raw.Assert(condition=answer, data=[message], summarize=1)]):
                answer = raw.Identity(input=answer)
        return raw.Merge(inputs=[good, skip, answer])[0]


def _reads_before(plan: Plan, early: list[Writer]) -> list[Any]:
    """The values that variables have before writers that do not wait, of small ones only."""
    raw = hidden_ops.tensorflow().raw_ops
    by_handle: dict[int, list[Writer]] = {}
    for writer in early:
        by_handle.setdefault(id(writer.handle), []).append(writer)
    room = LARGEST_COMPILED_BYTES if plan.compiled else LARGEST_KEPT_BYTES
    reads = []
    for same in by_handle.values():
        handle = same[0].handle
        dtype, size = variable_handles.symbolic_facts(handle)
        if dtype is None or size is None or size > room or handle.op.type != "Placeholder":
            continue
        room -= size
        read = raw.ReadVariableOp(resource=handle, dtype=dtype)
        for writer in same:
            writer.op._add_control_input(read.op)
        plan.kept.append(handle)
        reads.append(read)
    return reads


def _fed(graph: Any, before: set[Any]) -> list[Any]:
    tensors = list(graph.inputs)
    for op in graph.get_operations():
        if op.type in _FED and op in before:
            tensors += op.outputs
    return [tensor for tensor in tensors if tensor.dtype not in ("resource", "variant")]


_called: list[Callable[..., Any]] = []


def _registered(plan: Plan, work: Callable[[Plan, tuple[Any, ...]], Any]) -> str:
    """The token of a function that TensorFlow calls. It holds its plan weakly, and lives as long as the process: a
    function of TensorFlow's may run after its graph is gone from Python, and must find it."""
    reference = weakref.ref(plan)

    def called(*values: Any) -> Any:
        import numpy

        living = reference()
        answer = work(living, values) if living is not None else None
        if len(values) == 2:
            return numpy.array(bool(answer))
        return [numpy.array(answer is None), str(answer or "").encode()]

    _called.append(called)
    return str(hidden_ops.module("ops.script_ops")._py_funcs.insert(called))
