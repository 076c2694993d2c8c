"""A traced step in the order in which Python runs it, op by op, with what Python and its tape hold meanwhile. Pure.

Each op starts when the one before it is over. Python holds the inputs of an op until then, so that none can take over
their memory. A tape keeps whole tensors where a graph would compute a shape: the inputs of a sum, a slice or a
broadcast stay until the backward pass has come to them.
"""

from __future__ import annotations

import re
from collections import defaultdict

from whydied.graph.buffers import words
from whydied.graph.expansion import Cell, Expansion, Node, Scene
from whydied.graph.op_table import Op

_HOLD = Op("whydied/hold", "NoOp")
_GRADIENT = re.compile(r"^(?:.*/)?gradient_tape/")
_SHAPE_IS_USED = words(
    "AddV2 Add Sub Mul RealDiv Div Maximum Minimum SquaredDifference Pow FloorMod Sum Mean Prod Max Min ConcatV2 Pad "
    "PadV2 MirrorPad Tile Slice StridedSlice AvgPool AvgPool3D GatherV2 BroadcastTo SelectV2 ResizeBilinear "
    "ResizeNearestNeighbor"
)
"""Ops of whose inputs the gradient needs the shapes."""


def in_program_order(expansion: Expansion) -> Expansion:
    """The same step as a chain, with a node behind each op that holds its inputs, and one that the tape lets go at."""
    taped = _taped(expansion)
    nodes: list[Node] = []
    cells = [_copy(cell) for cell in expansion.cells]
    moved: dict[int, int] = {}
    for number, node in enumerate(expansion.nodes):
        before = (len(nodes) - 1,) if nodes else ()
        moved[number] = len(nodes)
        made = _made(node, node.inputs, (*(moved[one] for one in node.controls), *before))
        made.outputs = node.outputs
        nodes.append(made)
        for cell in node.outputs:
            cells[cell].node = moved[number]
        held = (*node.inputs, *taped.get(number, ()))
        if held:
            nodes.append(_made(node, held, (len(nodes) - 1,), _HOLD))
    return expansion._replace(nodes=nodes, cells=cells, phases=[])


def _taped(expansion: Expansion) -> dict[int, list[int]]:
    """The cells that a tape lets go after an op of the backward pass, by that op."""
    nodes = expansion.nodes
    forward = {node.op.name: number for number, node in enumerate(nodes) if not node.backward}
    reached = len(nodes)
    steps: list[tuple[int, int]] = []
    for number, node in enumerate(nodes):
        origin = _origin(node.op.name, forward) if node.backward else None
        if origin is not None and origin < reached:
            reached = origin
            steps.append((origin, number))
    found: dict[int, list[int]] = defaultdict(list)
    watched = _watched(expansion)
    for number, node in enumerate(nodes):
        if node.backward or node.op.type not in _SHAPE_IS_USED or not any(cell in watched for cell in node.inputs):
            continue
        # The first op of the backward pass that belongs to this one or to one before it.
        release = next((at for origin, at in steps if origin <= number), None)
        if release is not None and release > number:
            found[release] += node.inputs
    return found


def _origin(name: str, forward: dict[str, int]) -> int | None:
    """The forward op that an op of the backward pass belongs to, by its name."""
    scope = _GRADIENT.sub("", name)
    while scope:
        for known in (scope, scope.removesuffix("_grad")):
            if known in forward:
                return forward[known]
        scope = scope.rpartition("/")[0]
    return None


def _watched(expansion: Expansion) -> set[int]:
    """The cells that depend on a variable: others are not on the tape."""
    found = {number for number, cell in enumerate(expansion.cells) if cell.variable >= 0}
    for node in expansion.nodes:
        if any(cell in found for cell in node.inputs):
            found.update(node.outputs)
    return found


def _made(node: Node, inputs: tuple[int, ...], controls: tuple[int, ...], op: Op | None = None) -> Node:
    return Node(op or node.op, inputs, controls, Scene(node.layer, node.line, node.backward))


def _copy(cell: Cell) -> Cell:
    made = Cell(cell.node, cell.shape, cell.dtype, cell.value)
    made.items, made.source, made.size_bytes, made.variable = cell.items, cell.source, cell.size_bytes, cell.variable
    made.in_rows = cell.in_rows
    return made
