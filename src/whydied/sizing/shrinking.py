"""A step with a layer of half the width: what its filters or units, or the rows of its embedding, are worth. Pure.

The width is followed forward from the layer's weights: through whatever keeps the last axis, up to the weights of the
next layers, of which half the inputs go. The backward pass and the update shrink with the tensors that they belong to.
"""

from __future__ import annotations

from collections import defaultdict
from typing import NamedTuple

from whydied.graph.expansion import Cell, Expansion
from whydied.graph.op_table import Shape, Table
from whydied.graph.step_memory import phases_of
from whydied.sizing.layer_table import owners_of

_WIDTHS = {"Conv1D": "filters", "Conv2D": "filters", "Conv3D": "filters", "Dense": "units"}
_EMBEDDING = "Embedding"
_CONTRACTING = ("MatMul", "BatchMatMul", "Conv", "_FusedMatMul", "_FusedConv", "Einsum", "DepthwiseConv")
_JOINING = ("ConcatV2",)
_HALF = 0.5


class Narrower(NamedTuple):
    """A layer that can be half as wide: `what` of it (filters, units, rows) is `width` now."""

    layer: int
    name: str
    what: str
    width: int


class _Width(NamedTuple):
    """By how much a tensor shrinks, along an axis of so many."""

    scale: float
    extent: int


def candidates(table: Table, expansion: Expansion) -> list[Narrower]:
    """Layers whose width is theirs to choose, in the order of the step."""
    found = []
    shapes = _shapes(expansion)
    for layer, variables in _by_layer(expansion).items():
        known = table.layers[layer] if layer >= 0 else None
        kernel = max((shapes[one] for one in variables), key=_elements, default=())
        if known is None or len(kernel) < 2:
            continue
        if known.type in _WIDTHS:
            found.append(Narrower(layer, known.name, _WIDTHS[known.type], kernel[-1]))
        elif known.type == _EMBEDDING:
            found.append(Narrower(layer, known.name, "rows", kernel[0]))
    return found


def narrowed(expansion: Expansion, one: Narrower) -> Expansion | None:
    """None where the width is not the layer's own: it reaches the loss, or is added to something of another width."""
    shapes, own = _shapes(expansion), _by_layer(expansion)[one.layer]
    variables: dict[int, float] = {}
    cells: dict[int, _Width] = {}
    if one.what == "rows":
        variables = {number: _HALF for number in own if shapes[number][:1] == (one.width,)}
    else:
        variables = {number: _HALF for number in own if shapes[number][-1:] == (one.width,)}
        phases = phases_of(expansion)
        if not _follow(expansion, phases, one, variables, cells):
            return None
    return _scaled(expansion, variables, cells)


def _follow(
    expansion: Expansion, phases: list[str], one: Narrower, variables: dict[int, float], cells: dict[int, _Width]
) -> bool:
    """Fill in what shrinks in the forward pass; whether it ends in weights."""
    ends = False
    for node, phase in zip(expansion.nodes, phases, strict=True):
        if phase != "forward" or not node.outputs:
            continue
        kind, out = node.op.type, expansion.cells[node.outputs[0]]
        narrow = [cells[cell] for cell in node.inputs if cell in cells]
        if kind.startswith(_CONTRACTING):
            kernel = _variable(expansion, node.inputs[1]) if len(node.inputs) > 1 else -1
            if node.inputs[0] in cells:
                ends = True
                if kernel < 0:
                    # Two tensors that the program computed: which axis goes away is not known.
                    return False
                variables[kernel] = variables.get(kernel, 1.0) * cells[node.inputs[0]].scale
            if node.layer == one.layer and out.shape[-1:] == (one.width,):
                _mark(node.outputs, expansion, cells, _Width(_HALF, one.width))
            continue
        if not narrow:
            continue
        width = max(narrow, key=lambda each: each.extent)
        if kind in _JOINING:
            sizes = [(expansion.cells[cell].size_bytes, cells.get(cell)) for cell in node.inputs]
            whole = sum(size for size, _ in sizes)
            part = sum(size * (known.scale if known else 1.0) for size, known in sizes)
            _mark(node.outputs, expansion, cells, _Width(part / max(1, whole), out.shape[-1] if out.shape else 1))
            continue
        if _added_to_wider(expansion, node.inputs, cells, width):
            return False
        for cell in node.inputs:
            number = _variable(expansion, cell)
            if number >= 0 and expansion.cells[cell].shape[-1:] == (width.extent,):
                variables[number] = width.scale
        if out.shape and (out.shape[-1] == width.extent or kind in ("Reshape", "Flatten")):
            _mark(node.outputs, expansion, cells, _Width(width.scale, out.shape[-1]))
    return ends


def _mark(outputs: tuple[int, ...], expansion: Expansion, cells: dict[int, _Width], width: _Width) -> None:
    for cell in outputs:
        if expansion.cells[cell].shape[-1:] == (width.extent,):
            cells[cell] = width


def _added_to_wider(expansion: Expansion, inputs: tuple[int, ...], cells: dict[int, _Width], width: _Width) -> bool:
    """Whether something as wide, that stays so, goes into the same op."""
    return any(
        cell not in cells
        and expansion.cells[cell].node >= 0
        and expansion.cells[cell].shape[-1:] == (width.extent,)
        and width.extent > 1
        and len(expansion.cells[cell].shape) > 1
        and _variable(expansion, cell) < 0
        for cell in inputs
    )


def _scaled(expansion: Expansion, variables: dict[int, float], widths: dict[int, _Width]) -> Expansion:
    shapes = _shapes(expansion)
    by_layer: dict[tuple[int, Shape], float] = {}
    for number, width in widths.items():
        cell = expansion.cells[number]
        by_layer[expansion.nodes[cell.node].layer, cell.shape] = width.scale
    alike: dict[Shape, list[float]] = defaultdict(list)
    for number, layer in owners_of(expansion).items():
        scale = variables.get(number, 1.0)
        alike[shapes[number]].append(scale)
        if scale < 1.0:
            by_layer[layer, shapes[number]] = scale
    cells = []
    for number, cell in enumerate(expansion.cells):
        scale = 1.0
        if number in widths:
            scale = widths[number].scale
        elif cell.variable in variables:
            scale = variables[cell.variable]
        elif cell.node >= 0 and (expansion.nodes[cell.node].layer, cell.shape) in by_layer:
            scale = by_layer[expansion.nodes[cell.node].layer, cell.shape]
        elif cell.shape in alike and (cell.node < 0 or expansion.nodes[cell.node].layer < 0):
            # Slots and updates are known by their shape only.
            scale = sum(alike[cell.shape]) / len(alike[cell.shape])
        cells.append(cell if scale == 1.0 else _resized(cell, scale))
    return expansion._replace(cells=cells)


def _resized(cell: Cell, scale: float) -> Cell:
    made = Cell(cell.node, cell.shape, cell.dtype, cell.value)
    made.items, made.source, made.variable, made.in_rows = cell.items, cell.source, cell.variable, cell.in_rows
    made.size_bytes = int(cell.size_bytes * scale)
    return made


def _by_layer(expansion: Expansion) -> dict[int, list[int]]:
    found: dict[int, list[int]] = {}
    for number, layer in owners_of(expansion).items():
        found.setdefault(layer, []).append(number)
    return found


def _shapes(expansion: Expansion) -> dict[int, Shape]:
    return {cell.variable: cell.shape for cell in expansion.cells if cell.node < 0 and cell.variable >= 0}


def _variable(expansion: Expansion, cell: int) -> int:
    """The variable whose value a cell is, through reads and casts."""
    for _ in range(10):
        known = expansion.cells[cell]
        if known.variable >= 0:
            return known.variable
        if known.node < 0:
            return -1
        node = expansion.nodes[known.node]
        if node.op.type not in ("ReadVariableOp", "Identity", "Cast", "Reshape", "ExpandDims") or not node.inputs:
            return -1
        cell = node.inputs[0]
    return -1


def _elements(shape: Shape) -> int:
    count = 1
    for extent in shape:
        count *= extent
    return count
