"""What each layer of a step takes: weights, activations kept for the backward pass, gradients, slots. Pure."""

from __future__ import annotations

from collections import Counter
from typing import NamedTuple

from whydied.graph import buffers
from whydied.graph.expansion import Expansion
from whydied.graph.op_table import Layer, Table
from whydied.graph.step_memory import phases_of

_UPDATES = ("AssignSub", "AssignAdd", "ResourceApply", "ResourceScatter", "ResourceSparse", "AssignVariableOp")
_NO_USE = ("ReadVariableOp", "Identity", "Assign", "VarIsInitializedOp", "VariableShape")


class LayerRow(NamedTuple):
    """Bytes of a layer. `name` is "" for what belongs to none."""

    name: str
    type: str
    file: str
    line: int
    weights_bytes: int
    activations_bytes: int
    gradients_bytes: int
    slots_bytes: int

    @property
    def total_bytes(self) -> int:
        return self.weights_bytes + self.activations_bytes + self.gradients_bytes + self.slots_bytes


def layer_rows(table: Table, expansion: Expansion, alive: tuple[int, ...]) -> list[LayerRow]:
    """Layers in the order of their first op. `alive` are the cells at the peak, for steps without a backward pass."""
    phases = phases_of(expansion)
    owners = _owners(expansion, phases)
    updated = _updated(expansion)
    sizes = {cell.variable: cell for cell in expansion.cells if cell.node < 0 and cell.variable >= 0}
    weights: Counter[int] = Counter()
    gradients: Counter[int] = Counter()
    slots: Counter[int] = Counter()
    trained = [number for number in owners if number in updated and "backward" in phases]
    extra = Counter((sizes[n].shape, sizes[n].dtype) for n in sizes if n not in owners and sizes[n].shape)
    alike = Counter((sizes[n].shape, sizes[n].dtype) for n in trained)
    for number, layer in owners.items():
        cell = sizes[number]
        weights[layer] += cell.size_bytes
        if number in trained:
            gradients[layer] += cell.size_bytes
            kind = (cell.shape, cell.dtype)
            slots[layer] += cell.size_bytes * extra[kind] // alike[kind]
    activations = _activations(expansion, phases, alive)
    order = dict.fromkeys([*(node.layer for node in expansion.nodes), *owners.values(), *activations])
    none = Layer("", "")
    rows = []
    for layer in order:
        known = table.layers[layer] if layer >= 0 else none
        row = LayerRow(
            known.name,
            known.type,
            known.file,
            known.line,
            weights[layer],
            activations[layer],
            gradients[layer],
            slots[layer],
        )
        if row.total_bytes:
            rows.append(row)
    return rows


def owners_of(expansion: Expansion) -> dict[int, int]:
    """The layer of each variable that the forward pass uses, by the variable."""
    return _owners(expansion, phases_of(expansion))


def _owners(expansion: Expansion, phases: list[str]) -> dict[int, int]:
    """The layer whose forward pass uses a variable, by the variable."""
    found: dict[int, int] = {}
    for node, phase in zip(expansion.nodes, phases, strict=True):
        if phase == "forward" and not node.op.type.startswith(_NO_USE):
            for cell in node.inputs:
                variable = expansion.cells[cell].variable
                if variable >= 0 and found.get(variable, -1) < 0 and expansion.cells[cell].shape:
                    found[variable] = node.layer
    return found


def _updated(expansion: Expansion) -> set[int]:
    return {
        expansion.cells[node.inputs[0]].variable
        for node in expansion.nodes
        if node.inputs and node.op.type.startswith(_UPDATES)
    }


def _activations(expansion: Expansion, phases: list[str], alive: tuple[int, ...]) -> Counter[int]:
    """What the forward pass makes and the backward pass still needs; without one, what is alive at the peak."""
    found: Counter[int] = Counter()
    kept: set[int] = set()
    if "backward" in phases:
        for number, node in enumerate(expansion.nodes):
            if phases[number] != "forward":
                kept.update(_root(expansion, cell) for cell in node.inputs)
    else:
        kept.update(alive)
    for cell in kept:
        maker = expansion.cells[cell].node
        if maker >= 0 and phases[maker] == "forward" and expansion.cells[cell].variable < 0:
            found[expansion.nodes[maker].layer] += expansion.cells[cell].size_bytes
    return found


def _root(expansion: Expansion, cell: int) -> int:
    """The cell whose memory a cell is a view of."""
    for _ in range(100):
        maker = expansion.cells[cell].node
        if maker < 0:
            return cell
        node = expansion.nodes[maker]
        if cell not in node.outputs:
            return cell
        source = buffers.shared_input(node, node.outputs.index(cell), expansion.cells)
        if source < 0:
            return cell
        cell = source
    return cell
