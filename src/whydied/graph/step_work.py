"""What does not change from one simulated run of a step to the next: who waits for whom, how long an op takes, where
its outputs may find their memory. Pure; worked out once for all runs of an expansion."""

from __future__ import annotations

import math
from typing import NamedTuple

from whydied.graph import buffers
from whydied.graph.allocator_model import COUNTED_BYTES
from whydied.graph.expansion import Cell, Expansion, Node

_CHEAP = buffers.words(
    "Const Identity Reshape Squeeze ExpandDims NoOp Shape ReadVariableOp VarHandleOp Size Rank StopGradient "
    "Placeholder VariableShape VarIsInitializedOp"
)
_OP_S = 6e-6
_CHEAP_S = 1e-6
_BYTES_S = 1 / 6e9
_FLOPS_S = 1 / 2.5e10
"""As convolutions and products ran on two processors beside each other: gradients at 14 to 40 billion a second, what is
forward at 25 to 80."""
_TRANSPOSED = 2.0
"""A product with the second matrix transposed, as in the gradient of a dense layer's input, took two to three times as
long as the one with the first transposed."""


class Output(NamedTuple):
    """A tensor that an op makes. `shared` is the cell whose memory it shares, or -1; `reusable` are those whose memory
    it takes over where nobody else waits for it. `counts` is false where it is too small for the allocator to count."""

    cell: int
    size_bytes: int
    counts: bool
    shared: int
    reusable: tuple[int, ...]


class Links(NamedTuple):
    """The order of a step's nodes, which is the same for every batch: how often each cell is used, who waits for a
    node, for how many a node waits, and which ops run at once where they become ready."""

    uses: list[int]
    users: list[list[int]]
    waits: list[int]
    is_cheap: list[bool]


class Work:
    def __init__(self, expansion: Expansion, links: Links | None = None) -> None:
        self.nodes = expansion.nodes
        self.cells = expansion.cells
        self.results = expansion.results
        self.links = links or links_of(expansion)
        self.seconds: list[float] = []
        self.outputs: list[tuple[Output, ...]] = []
        alike = [(cell.shape, cell.dtype, cell.size_bytes) for cell in self.cells]
        known: dict[object, tuple[float, tuple[_Place, ...]]] = {}
        for node, cheap in zip(self.nodes, self.links.is_cheap, strict=True):
            # The turns of a loop have the same op with the same sizes.
            key = (id(node.op), *[alike[cell] for cell in (*node.inputs, *node.outputs)])
            found = known.get(key)
            if found is None or node.op.type.startswith("TensorList"):
                cost = _CHEAP_S if cheap else _cost(node, self.cells)
                found = known[key] = (cost, _places(node, self.cells))
            self.seconds.append(found[0])
            self.outputs.append(tuple([_output(node, place) for place in found[1]]))
        self.scratch = [buffers.scratch_bytes(node, self.cells) for node in self.nodes]
        self.copied_variables = {
            self.cells[node.inputs[0]].variable
            for node in self.nodes
            if buffers.copies_on_read(node.op.type) and node.inputs
        }


def links_of(expansion: Expansion) -> Links:
    nodes, cells = expansion.nodes, expansion.cells
    uses = [0] * len(cells)
    users: list[list[int]] = [[] for _ in nodes]
    waits = [0] * len(nodes)
    for number, node in enumerate(nodes):
        for cell in node.inputs:
            uses[cell] += 1
        before = {cells[cell].node for cell in node.inputs} | set(node.controls)
        before.discard(-1)
        for other in before:
            users[other].append(number)
        waits[number] = len(before)
    for cell in expansion.results:
        uses[cell] += 1
    return Links(uses, users, waits, [node.op.type in _CHEAP for node in nodes])


class _Place(NamedTuple):
    """An `Output` by positions among the node's outputs and inputs."""

    position: int
    size_bytes: int
    counts: bool
    shared: int
    reusable: tuple[int, ...]


def _output(node: Node, place: _Place) -> Output:
    shared = node.inputs[place.shared] if place.shared >= 0 else -1
    reusable = tuple([node.inputs[one] for one in place.reusable]) if place.reusable else ()
    return Output(node.outputs[place.position], place.size_bytes, place.counts, shared, reusable)


def _places(node: Node, cells: list[Cell]) -> tuple[_Place, ...]:
    if node.op.type in ("Const", "ReadVariableOp"):
        return ()
    found = []
    for position, cell in enumerate(node.outputs):
        size = cells[cell].size_bytes
        if not size:
            continue
        one = size // max(1, cells[cell].shape[0]) if cells[cell].in_rows and cells[cell].shape else size
        shared = buffers.shared_input(node, position, cells)
        reusable = _reusable(node, position, cells) if shared < 0 else ()
        at = node.inputs.index(shared) if shared >= 0 else -1
        found.append(_Place(position, size, one >= COUNTED_BYTES, at, reusable))
    return tuple(found)


def _reusable(node: Node, position: int, cells: list[Cell]) -> tuple[int, ...]:
    if not buffers.may_reuse(node, position):
        return ()
    wanted = cells[node.outputs[position]]
    return tuple(
        number
        for number, source in enumerate(node.inputs)
        if cells[source].shape == wanted.shape and cells[source].dtype == wanted.dtype
    )


def _cost(node: Node, cells: list[Cell]) -> float:
    moved = sum(cells[cell].size_bytes for cell in (*node.inputs, *node.outputs))
    return _OP_S + moved * _BYTES_S + _flops(node, cells) * _FLOPS_S


def _flops(node: Node, cells: list[Cell]) -> float:
    kind = node.op.type
    sizes = [cells[cell].size_bytes / 4 for cell in (*node.inputs[:2], *node.outputs[:1])]
    if "MatMul" in kind or kind == "Einsum":
        factor = _TRANSPOSED if node.op.attributes.get("transpose_b") or node.op.attributes.get("adj_y") else 1.0
        return factor * 2.0 * float(sizes[0] * sizes[1] * sizes[-1]) ** 0.5 if len(sizes) == 3 else 0.0
    if "Conv" in kind:
        images = [cells[cell].shape for cell in (*node.inputs, *node.outputs) if len(cells[cell].shape) >= 4]
        if len(images) >= 2:
            filters = min(images, key=lambda shape: shape[0] * shape[1] if shape[0] < 12 else 1e9)
            image = min((i for i in images if i is not filters), key=lambda s: s[0] * s[1] * s[2] * s[3], default=None)
            if image is not None:
                return 2.0 * math.prod((*filters, *image[:-1]))
    return 0.0
