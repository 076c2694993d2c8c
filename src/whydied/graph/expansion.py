"""A recorded table as one flat step: functions inlined, loops unrolled, lists resolved, every shape concrete.
Pure.

Invariant: nodes stand in an order in which a tensor's producer comes before its users. Ops that
neither an output nor an effect needs are left out, as TensorFlow leaves them out. A loop runs as often as its
condition says; where that cannot be computed, as often as its longest list has items. A step that is too large
to unroll is left off at `LARGEST_NODES`.
"""

from __future__ import annotations

import contextlib
from collections.abc import Iterable
from typing import NamedTuple

from whydied.graph import integers, op_shapes
from whydied.graph.integers import Known, Value
from whydied.graph.items import EMPTY, Items
from whydied.graph.op_shapes import Batch
from whydied.graph.op_table import Dims, Function, Op, Shape, Table, element_bytes, elements

LARGEST_NODES = 300_000
LARGEST_DEPTH = 50
_CALLS = frozenset({"PartitionedCall", "StatefulPartitionedCall", "RemoteCall"})
_LOOPS = frozenset({"While", "StatelessWhile"})
_CHOICES = frozenset({"If", "StatelessIf", "Case", "StatelessCase"})
_SOURCES = frozenset({"IteratorGetNext", "IteratorGetNextSync"})
_INTEGERS = frozenset({"int32", "int64", "bool", "int8", "uint8", "int16"})


class Bindings(NamedTuple):
    """What the step really got: rows in the batch, and shapes of its data inputs by position where they are known."""

    batch: int | None = None
    inputs: tuple[Dims | None, ...] = ()


class Cell:
    """A tensor of the step. `node` is -1 for what exists before it; `items` are the contents of a tensor list. Where
    `in_rows` is true it stands for tensors of one row each."""

    __slots__ = ("dtype", "in_rows", "items", "node", "shape", "size_bytes", "source", "value", "variable")

    def __init__(self, node: int, shape: Shape, dtype: str, value: Value | None = None) -> None:
        self.node = node
        self.shape = shape
        self.dtype = dtype
        self.value = value
        self.size_bytes = elements(shape) * element_bytes(dtype)
        self.items: Items | None = None
        self.variable = -1
        self.source = False
        self.in_rows = False


class Node:
    """An op that runs once. `layer`, `line` and `backward` are those of its caller where it has none of its own."""

    __slots__ = ("backward", "controls", "inputs", "layer", "line", "op", "outputs")

    def __init__(self, op: Op, inputs: tuple[int, ...], controls: tuple[int, ...], scene: Scene) -> None:
        self.op = op
        self.inputs = inputs
        self.controls = controls
        self.outputs: tuple[int, ...] = ()
        self.layer = op.layer if op.layer >= 0 else scene.layer
        self.line = op.line if op.line >= 0 else scene.line
        self.backward = scene.backward or in_gradient(op.name)


class Scene(NamedTuple):
    """Where a function is called from."""

    layer: int = -1
    line: int = -1
    backward: bool = False
    depth: int = 0


class Expansion(NamedTuple):
    """`phases` are those of its nodes, worked out by `step_memory.phases_of` when they are first asked for: they are
    the same with other sizes."""

    nodes: list[Node]
    cells: list[Cell]
    results: tuple[int, ...]
    batch: Batch
    phases: list[str] | None = None


def named(table: Table, shapes: Iterable[tuple[str, Dims | None]], batch: int | None = None) -> Bindings:
    """Bindings from the shapes that inputs got by name (`Placeholder:0`), as a recorded `Session.run` tells them."""
    known = {name.partition(":")[0]: shape for name, shape in shapes}
    outer = table.functions[0]
    names = [outer.ops[number].name for number in outer.inputs if element_bytes(outer.ops[number].dtypes[0])]
    return Bindings(batch, tuple(known.get(name) for name in names))


def in_gradient(name: str) -> bool:
    return "gradient_tape/" in name or name.startswith("gradients")


def expand(table: Table, bindings: Bindings) -> Expansion:
    """The step of a table with concrete inputs."""
    return Expander(table, bindings).run()


def traced_batch(table: Table) -> int | None:
    """The batch that a table was traced with, or None where its inputs leave it open."""
    return _leading(_source_shapes(table))


def _leading(found: Iterable[Dims | None]) -> int | None:
    """The first size of the input that most likely carries the rows: the one of the highest rank, then the largest."""
    shapes = [shape for shape in found if shape]
    largest = max(
        shapes, key=lambda shape: (len(shape), elements(tuple(d for d in shape if d is not None))), default=()
    )
    return largest[0] if largest else None


def _source_shapes(table: Table) -> list[Dims | None]:
    """The shapes of the data that a step gets: its arguments, or else what its iterators give."""
    outer = table.functions[0]
    given = [
        outer.ops[number].shapes[0]
        for number in outer.inputs
        if outer.ops[number].shapes and element_bytes(outer.ops[number].dtypes[0])
    ]
    pulled = [
        shape for function in table.functions for op in function.ops if op.type in _SOURCES for shape in op.shapes
    ]
    return pulled or given


class Expander:
    def __init__(self, table: Table, bindings: Bindings) -> None:
        self._table = table
        self._functions = {function.name: function for function in table.functions}
        self._needed: dict[str, list[int]] = {}
        self._bound = list(bindings.inputs or table.fed)
        traced = traced_batch(table)
        self._got_batch = _leading(self._bound)
        self.batch = Batch(traced, bindings.batch or self._got_batch or traced or 1)
        self.nodes: list[Node] = []
        self.cells: list[Cell] = []
        self._variables: dict[int, int] = {}
        self._constants: dict[int, list[int]] = {}
        self._inferred: dict[tuple[int, tuple[Known, ...]], list[Shape]] = {}

    def run(self) -> Expansion:
        outer = self._table.functions[0]
        arguments = [self._argument(outer.ops[number]) for number in outer.inputs]
        results = self._call(outer, arguments, Scene())
        return Expansion(self.nodes, self.cells, tuple(results), self.batch, [])

    # Inputs

    def _argument(self, op: Op) -> int:
        if op.variable >= 0 and op.dtypes[0] == "resource":
            return self._variable(op.variable)
        if not element_bytes(op.dtypes[0]):
            return self._new(-1, (), op.dtypes[0])
        return self._source(op, 0)

    def _source(self, op: Op, number: int) -> int:
        given = self._bound.pop(0) if self._bound else None
        static = op.shapes[number]
        shape = tuple(
            self._dim(axis, dim, given[axis] if given is not None and axis < len(given) else None)
            for axis, dim in enumerate(static if static is not None else given or ())
        )
        cell = self._new(-1, shape, op.dtypes[number])
        self.cells[cell].source = True
        return cell

    def _dim(self, axis: int, static: int | None, given: int | None) -> int:
        if axis == 0 and static in (None, self.batch.traced) and given in (None, self._got_batch):
            return self.batch.wanted
        if given is not None:
            return given
        return static if static is not None else 1

    def _variable(self, number: int) -> int:
        if number not in self._variables:
            known = self._table.variables[number]
            shape = tuple(dim or 0 for dim in known.shape) if known.shape is not None else ()
            cell = self._new(-1, shape, known.dtype)
            if known.shape is None:
                self.cells[cell].size_bytes = 0
            self.cells[cell].variable = number
            self._variables[number] = cell
        return self._variables[number]

    def _new(self, node: int, shape: Shape, dtype: str, value: Value | None = None) -> int:
        self.cells.append(Cell(node, shape, dtype, value))
        return len(self.cells) - 1

    # Functions

    def _call(self, function: Function, arguments: list[int], scene: Scene) -> list[int]:
        """Run a function: its results as cells."""
        values: dict[tuple[int, int], int] = {}
        made: dict[int, int] = {}
        if scene.depth > LARGEST_DEPTH:
            return [self._new(-1, (), "")] * len(function.outputs)
        for number, cell in zip(function.inputs, arguments, strict=False):
            values[number, 0] = cell
        for number in self._needs(function):
            if (number, 0) in values:
                continue
            op = function.ops[number]
            given = [values[pair] for pair in op.inputs if pair in values]
            controls = tuple(made[control] for control in op.controls if control in made)
            for position, cell in enumerate(self._run(op, given, controls, scene)):
                values[number, position] = cell
            if self.nodes:
                made[number] = len(self.nodes) - 1
        return [values[pair] for pair in function.outputs if pair in values]

    def _needs(self, function: Function) -> list[int]:
        """The ops of a function that an output or an effect needs, inputs first. Creation order is not enough: the
        gradient of a loop gives the loop inputs that are younger than itself."""
        known = self._needed.get(function.name)
        if known is None:
            wanted = sorted({number for number, _ in function.outputs} | set(function.keep))
            known = self._needed[function.name] = _inputs_first(function, wanted)
        return known

    def _run(self, op: Op, given: list[int], controls: tuple[int, ...], scene: Scene) -> list[int]:
        inner = Scene(
            op.layer if op.layer >= 0 else scene.layer,
            op.line if op.line >= 0 else scene.line,
            scene.backward or in_gradient(op.name),
            scene.depth + 1,
        )
        if op.type in _CALLS:
            function = self._functions.get(str(op.attributes.get("f")))
            if function is not None:
                first = len(self.nodes)
                results = self._call(function, given, inner)
                return self._given_at_the_end(op, results, first, scene) if self._table.origin == "final" else results
        elif op.type in _LOOPS:
            return self._loop(op, given, inner)
        elif op.type in _CHOICES:
            return self._choose(op, given, inner)
        elif op.type == "Const":
            # One for all turns of a loop.
            if id(op) not in self._constants:
                self._constants[id(op)] = self._plain(op, [], (), scene)
            return self._constants[id(op)]
        elif op.type in _SOURCES:
            return [self._source(op, number) for number in range(len(op.shapes))]
        elif op.type in ("VarHandleOp", "VariableV2", "Variable") and op.variable >= 0:
            return [self._variable(op.variable)]
        elif op.type.startswith(("TensorList", "EmptyTensorList")) and len(given) == len(op.inputs) > 0:
            return self._list(op, given, controls, scene)
        return self._plain(op, given, controls, scene)

    def _given_at_the_end(self, op: Op, results: list[int], first: int, scene: Scene) -> list[int]:
        """The results of a call that is still one in a final graph, as what XLA compiles: none before all is done."""
        inside = tuple(range(first, len(self.nodes)))
        found = []
        for cell in results:
            known = self.cells[cell]
            if known.node < first:
                found.append(cell)
                continue
            passed = Op(op.name, "Identity", shapes=(known.shape,), dtypes=(known.dtype,))
            found += self._plain(passed, [cell], inside, scene)
        return found

    def _plain(self, op: Op, given: list[int], controls: tuple[int, ...], scene: Scene) -> list[int]:
        node = Node(op, tuple(given), controls, scene)
        self.nodes.append(node)
        number = len(self.nodes) - 1
        found = self._shapes(op, given)
        values = self._values(op, given, found)
        node.outputs = tuple(
            self._new(number, shape, dtype, value) for shape, dtype, value in zip(found, op.dtypes, values, strict=True)
        )
        if op.type == "AddN" and node.outputs and op.dtypes[0] == "variant":
            self.cells[node.outputs[0]].items = self.cells[given[0]].items
        if op.type in ("Identity", "ZerosLike") and node.outputs and given:
            self.cells[node.outputs[0]].items = self.cells[given[0]].items
            self.cells[node.outputs[0]].variable = self.cells[given[0]].variable
        if op.type == "ReadVariableOp" and given and node.outputs and self.cells[given[0]].variable >= 0:
            self._read(given[0], node.outputs[0])
        return list(node.outputs)

    def _read(self, handle: int, output: int) -> None:
        """A variable whose shape the trace did not tell has that of what is read from it."""
        variable, read = self.cells[handle], self.cells[output]
        read.variable = variable.variable
        if not variable.dtype:
            variable.shape, variable.dtype, variable.size_bytes = read.shape, read.dtype, read.size_bytes

    def _shapes(self, op: Op, given: list[int]) -> list[Shape]:
        if op.type == "ReadVariableOp" and given and self.cells[given[0]].dtype not in ("", "resource"):
            return [self.cells[given[0]].shape]
        if op.type in ("Const", "Placeholder") or not self.batch.changed:
            fixed = [s for s in op.shapes if s is not None and None not in s]
            if len(fixed) == len(op.shapes):
                return fixed  # type: ignore[return-value]
        known = tuple((self.cells[cell].shape, self.cells[cell].value) for cell in given)
        # Every turn of a loop asks the same.
        key = (id(op), known)
        if key not in self._inferred:
            self._inferred[key] = op_shapes.infer(op, known, self.batch)
        return self._inferred[key]

    def _values(self, op: Op, given: list[int], found: list[Shape]) -> list[Value | None]:
        if not op.dtypes or op.dtypes[0] not in _INTEGERS:
            return [None] * len(found)
        if op.type == "VariableShape" and given:
            return [self.cells[given[0]].shape]
        if op.type == "TensorListLength":
            return [(len(self.cells[given[0]].items or ()),)]
        return integers.compute(op, [(self.cells[cell].shape, self.cells[cell].value) for cell in given], found)

    # Control flow

    def _loop(self, op: Op, given: list[int], scene: Scene) -> list[int]:
        cond, body = (self._functions.get(str(op.attributes.get(name))) for name in ("cond", "body"))
        state = list(given)
        if cond is None or body is None:
            return self._plain(op, given, (), scene)
        trips = 0
        while True:
            answer = self._call(cond, state, scene)
            value = self.cells[answer[0]].value if answer else None
            if not (bool(value[0]) if value is not None else trips < self._hint(given)):
                return state
            if len(self.nodes) > LARGEST_NODES:
                return state
            after = self._call(body, state, scene)
            state = after if len(after) == len(state) else state
            trips += 1

    def _hint(self, given: list[int]) -> int:
        return max((len(self.cells[cell].items or ()) for cell in given), default=0) or 1

    def _choose(self, op: Op, given: list[int], scene: Scene) -> list[int]:
        """The branch that runs, or, where that is open, the longest one: it needs most."""
        names = op.attributes.get("branches") or [op.attributes.get("then_branch"), op.attributes.get("else_branch")]
        branches = [self._functions.get(str(name)) for name in names]
        if not given or any(branch is None for branch in branches):
            return self._plain(op, given, (), scene)
        value = self.cells[given[0]].value
        if value is not None:
            chosen = value[0] if "branches" in op.attributes else (0 if value[0] else 1)
            branch = branches[max(0, min(chosen, len(branches) - 1))]
        else:
            branch = max(branches, key=lambda function: len(function.ops) if function is not None else 0)
        return self._call(branch, given[1:], scene) if branch is not None else []

    # Lists of tensors

    def _list(self, op: Op, given: list[int], controls: tuple[int, ...], scene: Scene) -> list[int]:
        outputs = self._plain(op, given, controls, scene)
        # An op of that name with other inputs or outputs than we know is an op like any other.
        with contextlib.suppress(IndexError):
            self._contents(self.nodes[-1], given, outputs)
        return outputs

    def _contents(self, node: Node, given: list[int], outputs: list[int]) -> None:
        """What is in a list after an op on it."""
        kind = node.op.type
        items = self.cells[given[0]].items or Items([])
        if kind == "EmptyTensorList":
            self.cells[outputs[0]].items = Items([])
        elif kind == "TensorListReserve":
            count = self.cells[given[1]].value
            self.cells[outputs[0]].items = Items([EMPTY] * max(0, count[0] if count else 0))
        elif kind == "TensorListFromTensor":
            self._copied_rows(node, self.cells[given[0]])
        elif kind == "TensorListPushBack":
            self.cells[outputs[0]].items = items.pushed(given[1])
        elif kind in ("TensorListPopBack", "TensorListGetItem"):
            self._taken(node, given, items)
        elif kind == "TensorListSetItem":
            self.cells[outputs[0]].items = items.replaced(self._index(given[1]), given[2])
        elif kind in ("TensorListStack", "TensorListGather", "TensorListConcat", "TensorListConcatV2"):
            self._stacked(node, items)
        elif outputs and self.cells[outputs[0]].dtype == "variant":
            self.cells[outputs[0]].items = items

    def _copied_rows(self, node: Node, whole: Cell) -> None:
        """A list of a tensor's rows has a copy of each. They live as long as the list, so that one cell stands for
        all of them."""
        rows = self._new(len(self.nodes) - 1, whole.shape, whole.dtype)
        self.cells[rows].in_rows = True
        self.cells[node.outputs[0]].items = Items([_row_of(rows)] * (whole.shape or (0,))[0])
        node.outputs = (*node.outputs, rows)

    def _taken(self, node: Node, given: list[int], items: Items) -> None:
        """An item leaves a list: the node uses the item itself, so that the item lives until then."""
        pop = node.op.type == "TensorListPopBack"
        at = len(items) - 1 if pop else self._index(given[1])
        output = self.cells[node.outputs[-1]]
        if pop:
            self.cells[node.outputs[0]].items = items.popped()
        item = items.get(at)
        if item == EMPTY:
            return
        cell, output.shape = self._item(item)
        output.value = self.cells[cell].value if item >= 0 else None
        output.size_bytes = elements(output.shape) * element_bytes(output.dtype)
        node.inputs = (*node.inputs, cell)

    def _item(self, item: int) -> tuple[int, Shape]:
        """The cell whose memory an item is, and the item's shape."""
        if item >= 0:
            return item, self.cells[item].shape
        return _row_of(item), self.cells[_row_of(item)].shape[1:]

    def _index(self, cell: int) -> int:
        value = self.cells[cell].value
        return value[0] if value else 0

    def _stacked(self, node: Node, items: Items) -> None:
        present = [self._item(item) for item in dict.fromkeys(items) if item != EMPTY]
        output = self.cells[node.outputs[0]]
        if present:
            rows = present[0][1]
            if node.op.type.startswith("TensorListConcat"):
                output.shape = (len(items) * (rows or (1,))[0], *rows[1:])
            else:
                output.shape = (len(items), *rows)
            output.size_bytes = elements(output.shape) * element_bytes(output.dtype)
        node.inputs = (*node.inputs, *dict.fromkeys(cell for cell, _ in present))


def _row_of(number: int) -> int:
    """A list's item that is one row of a cell's tensor, told from a cell of its own; and back."""
    return -2 - number


def _inputs_first(function: Function, wanted: list[int]) -> list[int]:
    """All ops that the wanted ones depend on, each after its inputs; the back edges of old loops are passed over."""
    order: list[int] = []
    seen: set[int] = set()
    stack = [(number, False) for number in reversed(wanted)]
    while stack:
        number, ready = stack.pop()
        if ready:
            order.append(number)
            continue
        if number < 0 or number in seen:
            continue
        seen.add(number)
        stack.append((number, True))
        op = function.ops[number]
        before = sorted({pair[0] for pair in op.inputs} | set(op.controls), reverse=True)
        stack += [(other, False) for other in before if other not in seen]
    return order
