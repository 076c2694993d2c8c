"""Executes a captured step op by op and looks at each value; runs in the process of the replay.

Functions, branches and loops are entered, so that the first bad op inside is found. What cannot be executed (Python
functions, values that were not captured, ops that fail) gives a value that is *missing*, with the reason; only a
target that needs one is without a value.

Invariant: values are let go after their last use, so an execution needs about the memory of the step. Random
numbers are drawn once, in the first execution, and are the same in all later ones.
"""

from __future__ import annotations

import time
from typing import Any

from whydied.replay.execution import op_kinds
from whydied.replay.execution.captured_graph import Program
from whydied.replay.execution.control_flow import ControlFlow
from whydied.replay.execution.execution_trace import Event, Place, Ref, Scope, Site, Trace, Values
from whydied.replay.execution.graph_nodes import Body, Node, Schedule, Source, schedule
from whydied.replay.execution.op_kernels import Kernels, all_finite, cured
from whydied.replay.execution.replay_errors import OutOfTime, ReplayError
from whydied.replay.execution.value_slots import Cell, Memory, Slot, dead, float_types, missing

LARGEST_EVENTS = 3_000_000
_ENTRIES_BYTES = 192 << 20


class Interpreter(ControlFlow):
    """`feeds` are the values given to the step, by the tensor of the graph that each stands in for."""

    def __init__(self, program: Program, kernels: Kernels, memory: Memory, feeds: dict[Source, Any], until: float):
        super().__init__(program, kernels)
        self._memory = memory
        self._feeds = feeds
        self._fed = frozenset(feeds)
        self._until = until
        self._random: dict[Place, list[Any]] = {}
        self._constants: dict[int, Any] = {}
        self._schedules: dict[tuple[Source, ...], Schedule] = {}
        self._trace = Trace()
        self._cures: frozenset[Site] = frozenset()
        self._keep: frozenset[Place] = frozenset()
        self._room = 0
        self._other_feeds: dict[Source, Any] = {}
        self._fed_slots: dict[Source, Slot] = {}
        self._floats = float_types(kernels)

    def run(
        self,
        targets: tuple[Source, ...],
        *,
        feeds: dict[Source, Any] | None = None,
        variables: dict[str, Any] | None = None,
        cures: frozenset[Site] = frozenset(),
        keep: frozenset[Place] = frozenset(),
        room_bytes: int = 0,
        strict: bool = True,
    ) -> Trace:
        """Execute what the targets need. `feeds` and `variables` are other values than the captured ones; the bad
        elements of what the ops at `cures` give are replaced by finite ones; the values of `keep` are kept, and
        those of ops with a bad value up to `room_bytes`.
        Raises ReplayError where a target could not be had; not `strict`, its reason is in the trace."""
        if targets not in self._schedules:
            self._schedules[targets] = schedule(self._program.top, targets, (), self._fed)
        self._trace, self._cures, self._keep, self._room = Trace(), cures, keep, room_bytes
        self._other_feeds = feeds or {}
        self._fed_slots = {}
        # Number 0 is nothing: what a value comes from that has no history worth following.
        self._event(Scope(), Node("", "NoOp", (), (), {}, 0), ()).bad = [False]
        self._memory.begin(variables or {})
        found = self._body(self._program.top, self._schedules[targets], [], Scope(), targets)
        for slot in found:
            if slot.reason and strict:
                raise ReplayError(slot.reason)
            self._trace.reasons.append(slot.reason)
            self._trace.targets.append(slot.ref)
        trace, self._trace = self._trace, Trace()
        return trace

    def draw_anew(self) -> None:
        """Forget the random numbers of the executions so far."""
        self._random.clear()

    def _body(
        self, body: Body, order: Schedule, arguments: list[Slot], scope: Scope, results: tuple[Source, ...]
    ) -> list[Slot]:
        values: dict[str, list[Slot]] = {name: [slot] for name, slot in zip(body.arguments, arguments, strict=False)}
        for node, over in zip(order.nodes, order.over, strict=True):
            if node.name not in values:
                if time.monotonic() > self._until:
                    raise OutOfTime("the replay ran out of time")
                inputs = [self._input(values, source, scope, body) for source in node.inputs]
                values[node.name] = self._node(node, inputs, scope, self._is_dead(node, inputs, values))
            for name in over:
                values.pop(name, None)
        return [self._input(values, source, scope, body) for source in results]

    def _input(self, values: dict[str, list[Slot]], source: Source, scope: Scope, body: Body) -> Slot:
        if body is self._program.top and source in self._fed:
            if source not in self._fed_slots:
                self._fed_slots[source] = self._feed(source, scope)
            return self._fed_slots[source]
        return values[source.node][source.output]

    def _feed(self, source: Source, scope: Scope) -> Slot:
        value = self._other_feeds.get(source)
        if value is None:
            value = self._feeds[source]
        if isinstance(value, str):
            return missing(value, 1)[0]
        node = Node(f"{source.node}:{source.output}", "Placeholder", (), (), {}, 1)
        event = self._event(scope, node, (), "feed")
        return self._slot(event, 0, value)

    def _is_dead(self, node: Node, inputs: list[Slot], values: dict[str, list[Slot]]) -> bool:
        if node.op in ("Merge", "RefMerge"):
            return all(slot.dead for slot in inputs)
        if any(slot.dead for slot in inputs):
            return True
        return any(slots and all(slot.dead for slot in slots) for slots in map(values.get, node.control) if slots)

    def _node(self, node: Node, inputs: list[Slot], scope: Scope, is_dead: bool) -> list[Slot]:
        if is_dead:
            return [dead() for _ in range(max(1, node.outputs))]
        op = node.op
        if op in op_kinds.SAME:
            return [self._dereferenced(slot) for slot in inputs[: node.outputs]]
        entered = self._entered(node, inputs, scope)
        if entered is not None:
            return entered
        return self._leaf(node, scope) or self._op(node, inputs, scope)

    def _leaf(self, node: Node, scope: Scope) -> list[Slot]:
        """The value of a node that has none of its own making; [] for other nodes."""
        if node.op == "Const":
            event = self._event(scope, node, (), "constant")
            value = self._constant(node)
            return [self._slot(event, 0, self._cured(value) if event.site in self._cures else value)]
        if node.op in op_kinds.HANDLES or node.op in op_kinds.REF_VARIABLES:
            cell = self._memory.cell(node.name)
            if cell is None:
                return missing(f"the value of {node.name} was not captured", 1)
            slot = Slot(Ref(0, 0), None)
            slot.cell, slot.is_ref = cell, node.op in op_kinds.REF_VARIABLES
            return [slot]
        return []

    def _constant(self, node: Node) -> Any:
        key = id(node)
        if key not in self._constants:
            self._constants[key] = self._kernels.constant(node.attr["value"].tensor)
        return self._constants[key]

    def _op(self, node: Node, inputs: list[Slot], scope: Scope) -> list[Slot]:
        op = node.op
        if any(slot.is_ref for slot in inputs):
            return self._classic_op(node, inputs, scope)
        reason = self._refusal(node, inputs)
        if reason is not None:
            self._spoil(node, inputs, reason)
            if node.outputs == 0:
                self._trace.left_out.add(op)
            return missing(reason, node.outputs)
        return self._execute(node, op, node.attributes(self._kernels), inputs, scope)

    def _classic_op(self, node: Node, inputs: list[Slot], scope: Scope) -> list[Slot]:
        """An op on a variable of TensorFlow 1, which eager execution does not have: its form for resources instead."""
        if node.op == "IsVariableInitialized":
            event = self._event(scope, node, ())
            return [self._slot(event, 0, self._kernels.tensor(True))]
        definition = self._kernels.definition(node.op)
        if not definition.input_arg or not definition.input_arg[0].is_ref:
            return self._op(node, [self._dereferenced(slot) for slot in inputs], scope)
        form = op_kinds.resource_form(node.op)
        reason = "" if form and self._kernels.definition(form) is not None else f"the op {node.op} cannot be replayed"
        refs = [argument.is_ref for argument in definition.input_arg]
        given = [slot if at < len(refs) and refs[at] else self._dereferenced(slot) for at, slot in enumerate(inputs)]
        reason = reason or next((slot.reason for slot in given if slot.reason), "")
        if reason:
            self._spoil(node, given, reason)
            return missing(reason, node.outputs)
        attributes = self._kernels.attributes(form, _resource_attributes(node.attr))
        self._execute(Node(node.name, form, node.inputs, node.control, node.attr, 0), form, attributes, given, scope)
        return [inputs[0] for _ in range(node.outputs)]

    def _dereferenced(self, slot: Slot) -> Slot:
        """The present value of a variable of TensorFlow 1; any other value as it is."""
        if not slot.is_ref or slot.cell is None:
            return slot
        if slot.cell.reason:
            return missing(slot.cell.reason, 1)[0]
        return Slot(self._written_by(slot.cell), self._memory.read(slot.cell), slot.cell.bad)

    def _refusal(self, node: Node, inputs: list[Slot]) -> str | None:
        """Why an op is not executed, None where it is."""
        op = node.op
        if op in op_kinds.PYTHON:
            return "the step calls a Python function (py_function, numpy_function), which cannot be replayed"
        for slot in inputs:
            if slot.reason:
                return slot.reason
            if slot.cell is not None and slot.cell.reason and op not in ("AssignVariableOp", "VarIsInitializedOp"):
                return slot.cell.reason
        if not self._kernels.is_stateful(op) or op in op_kinds.STATEFUL or _is_random(node):
            return None
        if any(slot.cell is not None for slot in inputs):
            return None
        if node.outputs == 0:
            return f"the op {op} acts on something outside the step and was left out"
        return f"the step needs {node.name} ({op}), which cannot be replayed outside the program"

    def _spoil(self, node: Node, inputs: list[Slot], reason: str) -> None:
        for slot in inputs:
            if slot.cell is not None and node.op not in op_kinds.READS:
                slot.cell.reason = slot.cell.reason or reason

    def _execute(
        self, node: Node, op: str, attributes: tuple[Any, ...], inputs: list[Slot], scope: Scope
    ) -> list[Slot]:
        event = self._event(scope, node, tuple(self._ref(slot, op) for slot in inputs))
        place = event.place if self._keep or _is_random(node) else None
        try:
            self._make_room(op, inputs)
            given = [slot.value if slot.cell is None else self._memory.handle(slot.cell) for slot in inputs]
            seen = self._seen(inputs) if self._room or place in self._keep else []
            outputs = self._outputs(node, op, attributes, given, place)
        except ReplayError:
            raise
        except Exception as error:
            reason = f"the op {node.name} ({op}) failed: {str(error).splitlines()[0][:200] if str(error) else error!r}"
            self._spoil(node, inputs, reason)
            event.bad = [False] * (node.outputs + sum(slot.cell is not None for slot in inputs))
            return missing(reason, node.outputs)
        if self._cures and event.site in self._cures:
            outputs = [self._cured(tensor) for tensor in outputs]
        tainted = any(slot.bad or (slot.cell is not None and slot.cell.bad) for slot in inputs)
        is_flow = op in op_kinds.FLOWS
        slots = [self._slot(event, at, tensor, tainted, is_flow) for at, tensor in enumerate(outputs)]
        self._written(event, op, inputs)
        self._remember(event, Values(seen, outputs), place in self._keep)
        return slots

    def _remember(self, event: Event, values: Values, is_wanted: bool) -> None:
        """Keep the values of an op that was asked for, or is bad while there is room: most of it is for ops to which
        something bad came from outside or not at all, because one of them is the first."""
        if not is_wanted:
            if not self._room or not any(event.bad):
                return
            room = self._room if self._is_entry(event) else self._room - _ENTRIES_BYTES
            size = sum(self._size(tensor) for tensor in (*values.inputs, *values.outputs))
            if size > room:
                return
            self._room -= size
        self._trace.kept[event.place] = values

    def _is_entry(self, event: Event) -> bool:
        sources = [self._trace.events[ref.event] for ref in self._trace.bad_inputs(event)]
        return all(source.leaf or source.node.op in op_kinds.PASSING for source in sources)

    def _size(self, tensor: Any) -> int:
        return 0 if tensor is None else int(tensor.dtype.size * (tensor.shape.num_elements() or 0))

    def _outputs(
        self, node: Node, op: str, attributes: tuple[Any, ...], given: list[Any], place: Place | None
    ) -> list[Any]:
        if not _is_random(node) or place is None:
            if any(value.WhichOneof("value") == "func" for value in node.attr.values()):
                self._kernels.add_functions(self._program.library)
            return self._kernels.run(op, attributes, given, node.outputs)
        if place not in self._random:
            self._random[place] = self._kernels.run(op, attributes, given, node.outputs)
            self._trace.random_ops.add(node.name)
        return self._random[place]

    def _written(self, event: Event, op: str, inputs: list[Slot]) -> None:
        cells = [slot.cell for slot in inputs if slot.cell is not None]
        if op in op_kinds.READS or not cells:
            return
        for cell in cells:
            cell.was_written, cell.reason = True, ""
            cell.writer = Ref(event.number, len(event.bad))
            cell.bad = self._is_bad(self._memory.read(cell))
            event.bad.append(cell.bad)

    def _ref(self, slot: Slot, op: str) -> Ref:
        if slot.cell is None:
            return slot.ref
        # What is overwritten has no part in what is written.
        return Ref(0, 0) if op == "AssignVariableOp" else self._written_by(slot.cell)

    def _make_room(self, op: str, inputs: list[Slot]) -> None:
        """A variable whose value was not captured can still be assigned to."""
        cell = inputs[0].cell if inputs else None
        if cell is not None and op == "AssignVariableOp" and cell.variable is None and cell.value is None:
            cell.variable = self._kernels.variable(inputs[1].value)

    def _written_by(self, cell: Cell) -> Ref:
        """Where the present value of a variable came from; at the start of the step, from outside."""
        if cell.writer is None:
            event = self._event(Scope(), Node(cell.node, "Variable", (), (), {}, 1), (), "variable")
            cell.bad = cell.value is not None and self._is_bad(cell.value)
            event.bad = [cell.bad]
            cell.writer = Ref(event.number, 0)
        return cell.writer

    def _seen(self, inputs: list[Slot]) -> list[Any]:
        return [
            slot.value if slot.cell is None else (None if slot.cell.reason else self._memory.read(slot.cell))
            for slot in inputs
        ]

    def _event(self, scope: Scope, node: Node, inputs: tuple[Ref, ...], leaf: str = "") -> Event:
        number = len(self._trace.events)
        if number >= LARGEST_EVENTS:
            raise ReplayError(f"the step has more than {LARGEST_EVENTS:,} ops")
        event = Event(number, scope, node, inputs, leaf)
        self._trace.events.append(event)
        return event

    def _slot(self, event: Event, output: int, tensor: Any, tainted: bool = False, is_flow: bool = False) -> Slot:
        # Whether a list of tensors holds a bad one cannot be seen; it does where a bad value went into it.
        bad = tainted if is_flow or tensor.dtype in self._floats.opaque else self._is_bad(tensor)
        event.bad.append(bad)
        return Slot(Ref(event.number, output), tensor, bad)

    def _is_bad(self, tensor: Any) -> bool:
        return tensor.dtype in self._floats.kinds and not all_finite(self._kernels.array(tensor))

    def _cured(self, tensor: Any) -> Any:
        if not self._is_bad(tensor):
            return tensor
        return self._kernels.tensor(cured(self._kernels.array(tensor)), tensor.dtype)


def _is_random(node: Node) -> bool:
    return "seed" in node.attr and "seed2" in node.attr


def _resource_attributes(attr: Any) -> dict[str, Any]:
    found = {name: attr[name] for name in attr}
    if "T" in found:
        found.setdefault("dtype", found["T"])
    return found
