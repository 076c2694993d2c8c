"""What a step needs and who needs it: the answer of this package. Pure.

`analyse` is the whole way from a recorded table to the tensors alive at the peak. Bytes are of two kinds:
tensors (the plain sum of live tensors) and what TensorFlow's CPU allocator counts for them, which is more,
because its chunks are seldom an exact fit. `peak_bytes` is the second, above what was there before the step;
weights, optimizer slots and inputs are there before it and are told apart.
"""

from __future__ import annotations

import re
import statistics
from collections import Counter
from typing import NamedTuple

from whydied.graph.expansion import Bindings, Cell, Expansion, Node, expand, in_gradient
from whydied.graph.op_table import Layer, Line, Table, element_bytes, elements
from whydied.graph.simulation import Peak, Simulation

STEPS = 4
SEEDS = 2
LARGE_NODES = 20_000
"""A step with more nodes is run fewer times: luck matters less in large ones."""
_NO_USE = (
    "ReadVariableOp",
    "Identity",
    "Assign",
    "Apply",
    "ResourceApply",
    "VarIsInitializedOp",
    "IsVariableInitialized",
)
"""Ops that take a variable without computing anything from it."""
_WRITES = ("Assign", "Resource", "Apply")
_GRADIENT = re.compile(r"^(?:.*/)?(?:gradient_tape|gradients(?:_\d+)?)/")


class LiveTensor(NamedTuple):
    """Tensors of one op that are alive at the peak. `copies` is more than one for the turns of a loop; `phase` is
    "forward", "backward" or "update"; `line` is the user's line to blame: that of the op inside a layer's own code,
    else the one that made the layer, else that of the op, or of the forward op whose gradient it is."""

    op: str
    type: str
    shape: tuple[int, ...]
    dtype: str
    size_bytes: int
    copies: int
    phase: str
    layer: Layer | None
    line: Line | None
    grows: bool


class StepMemory(NamedTuple):
    """What a step of `batch` rows needs. `by_layer` has the bytes at the peak by the layer's name, "" for none, the
    largest first."""

    batch: int
    peak_bytes: int
    tensor_bytes: int
    alive: tuple[LiveTensor, ...]
    by_layer: list[tuple[str, int]]
    weights_bytes: int
    slots_bytes: int
    input_bytes: int
    batch_scaled_bytes: int
    constant_bytes: int


def analyse(table: Table, bindings: Bindings = Bindings(), steps: int = STEPS) -> StepMemory:  # noqa: B008
    """The peak of a recorded step with what it really got; with fewer simulated steps sooner, and a little rougher."""
    expansion = expand(table, bindings)
    peak = _peak(table, expansion, steps)
    batch = expansion.batch.wanted
    other = expand(table, bindings._replace(batch=batch + 1, inputs=_with_batch(bindings, batch, batch + 1)))
    tensors = live_tensors(table, expansion, other, peak)
    scaled = sum(tensor.size_bytes for tensor in tensors if tensor.grows)
    weights, slots = _variables(expansion)
    layers: Counter[str] = Counter()
    for tensor in tensors:
        layers[tensor.layer.name if tensor.layer else ""] += tensor.size_bytes
    return StepMemory(
        batch=batch,
        peak_bytes=peak.counted_bytes,
        tensor_bytes=peak.tensor_bytes,
        alive=tensors,
        by_layer=layers.most_common(),
        weights_bytes=weights,
        slots_bytes=slots,
        input_bytes=sum(cell.size_bytes for cell in expansion.cells if cell.source),
        batch_scaled_bytes=scaled,
        constant_bytes=peak.tensor_bytes - scaled,
    )


def _with_batch(bindings: Bindings, old: int | None, new: int) -> tuple[tuple[int | None, ...] | None, ...]:
    """The bound shapes with another batch in front of those that have it."""
    first = next((shape[0] for shape in bindings.inputs if shape), None)
    old = old or first
    return tuple((new, *shape[1:]) if shape and shape[0] == old else shape for shape in bindings.inputs)


def _peak(table: Table, expansion: Expansion, steps: int = STEPS) -> Peak:
    """The median over several steps and seeds: the first step of each warms the allocator up."""
    if len(expansion.nodes) > LARGE_NODES:
        steps = 1
    peaks = []
    for seed in range(SEEDS if steps > 1 else 1):
        simulation = Simulation(expansion, table.threads or 1, seed)
        simulation.step()
        peaks += [simulation.step() for _ in range(steps)]
    middle = statistics.median_low(peak.counted_bytes for peak in peaks)
    same = [peak for peak in peaks if peak.counted_bytes == middle]
    return max(same, key=lambda peak: peak.tensor_bytes)


def live_tensors(table: Table, expansion: Expansion, other: Expansion, peak: Peak) -> tuple[LiveTensor, ...]:
    phases = phases_of(expansion)
    forward = _forward_lines(table)
    comparable = len(other.cells) == len(expansion.cells)
    grouped: dict[tuple[str, int, tuple[int, ...], str], LiveTensor] = {}
    for number in peak.alive:
        cell = expansion.cells[number]
        node = expansion.nodes[cell.node]
        grows = other.cells[number].size_bytes != cell.size_bytes if comparable else False
        layer = table.layers[node.layer] if node.layer >= 0 else None
        key = (node.op.name, node.layer, cell.shape, cell.dtype)
        known = grouped.get(key)
        grouped[key] = LiveTensor(
            node.op.name,
            node.op.type,
            cell.shape,
            cell.dtype,
            cell.size_bytes + (known.size_bytes if known else 0),
            1 + (known.copies if known else 0),
            phases[cell.node],
            layer,
            _line(table, node, layer, forward),
            grows,
        )
    return tuple(sorted(grouped.values(), key=lambda tensor: -tensor.size_bytes))


def _line(table: Table, node: Node, layer: Layer | None, forward: dict[str, int]) -> Line | None:
    own = table.lines[node.line] if node.line >= 0 else None
    if own is not None and own.direct and layer is not None and not node.backward:
        return own
    if layer is not None and layer.file:
        return Line(layer.file, layer.line, layer.function, False, layer.statement)
    if node.backward:
        # The line of the gradient call says nothing: the op that the gradient belongs to is in its name.
        scope = _GRADIENT.sub("", node.op.name)
        while "/" in scope:
            scope = scope.rpartition("/")[0]
            number = forward.get(scope, forward.get(scope.removesuffix("_grad"), -1))
            if number >= 0:
                return table.lines[number]
    return own


def _forward_lines(table: Table) -> dict[str, int]:
    return {
        op.name: op.line
        for function in table.functions
        for op in function.ops
        if op.line >= 0 and not in_gradient(op.name)
    }


def phases_of(expansion: Expansion) -> list[str]:
    """Forward, backward by name scope, and update: whatever follows from the backward pass, in data or in order (an
    optimizer reads its slots after it has written them)."""
    if expansion.phases:
        return expansion.phases
    nodes = expansion.nodes
    found: list[str] = expansion.phases if expansion.phases is not None else []
    for node in nodes:
        before = {
            found[expansion.cells[cell].node]
            for cell in node.inputs
            if expansion.cells[cell].node >= 0 and _carries(expansion.cells[cell])
        }
        before.update(found[control] for control in node.controls if _same_variable(expansion, nodes[control], node))
        if node.op.type == "Const":
            found.append("forward")
            continue
        found.append("backward" if node.backward else "forward" if before <= {"forward"} else "update")
    return found


def _carries(cell: Cell) -> bool:
    """Whether a tensor says where its user belongs. Shapes and axes do not: TensorFlow computes those of both passes
    once, under the name of either."""
    return bool(cell.shape) and cell.value is None and not cell.dtype.startswith(("int", "uint", "bool"))


def _same_variable(expansion: Expansion, before: Node, after: Node) -> bool:
    """Whether two ops stand in order because of one variable. Other order says nothing."""
    if not before.inputs or not after.inputs or not before.op.type.startswith(_WRITES):
        return False
    return 0 <= expansion.cells[before.inputs[0]].variable == expansion.cells[after.inputs[0]].variable


def _variables(expansion: Expansion) -> tuple[int, int]:
    """Bytes of the variables that the forward pass uses, and of those that only the update touches."""
    phases = phases_of(expansion)
    forward: set[int] = set()
    for node, phase in zip(expansion.nodes, phases, strict=True):
        if phase == "forward" and not node.op.type.startswith(_NO_USE):
            forward.update(expansion.cells[cell].variable for cell in node.inputs)
    weights = slots = 0
    for known in expansion.cells:
        if known.node < 0 and known.variable >= 0:
            size = elements(known.shape) * element_bytes(known.dtype)
            weights, slots = (weights + size, slots) if known.variable in forward else (weights, slots + size)
    return weights, slots
