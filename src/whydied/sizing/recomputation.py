"""A step whose activations are made a second time in the backward pass, block by block, instead of being kept. Pure.

The layers are cut into as many blocks as the square root of their number, of about equal activations. What the forward
pass makes inside a block, and only the backward pass needs, is let go, and made again from the block's inputs when the
gradient arrives at the block: as `tf.recompute_grad` does.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable

from whydied.graph.expansion import Cell, Expansion, Node, Scene
from whydied.graph.op_table import Op
from whydied.graph.step_memory import phases_of

LEAST_LAYERS = 4
_ARRIVED = Op("gradient_arrived", "NoOp")
_KEPT = ("ReadVariableOp", "Const", "VarHandleOp")


def blocks_of(expansion: Expansion) -> dict[int, int]:
    """The block of each layer, from the number of layers that keep activations; empty where they are too few."""
    phases = phases_of(expansion)
    sizes: Counter[int] = Counter()
    order: dict[int, None] = {}
    for cell in _needed_later(expansion, phases):
        layer = expansion.nodes[expansion.cells[cell].node].layer
        if layer >= 0:
            sizes[layer] += expansion.cells[cell].size_bytes
    computed = _from_data(expansion)
    for node, phase in zip(expansion.nodes, phases, strict=True):
        # Weights may be read long before their layer's turn.
        if phase == "forward" and node.layer >= 0 and not computed.isdisjoint(node.outputs):
            order[node.layer] = None
    if len(sizes) < LEAST_LAYERS:
        return {}
    count, whole = max(2, round(math.sqrt(len(sizes)))), sum(sizes.values())
    found: dict[int, int] = {}
    seen = 0
    for layer in order:
        # By its middle: a little that another layer keeps must not move a whole layer over the border.
        found[layer] = min(count - 1, (2 * seen + sizes[layer]) * count // max(1, 2 * whole))
        seen += sizes[layer]
    return found


def recomputed(expansion: Expansion, blocks: dict[int, int]) -> Expansion | None:
    """None where nothing would be let go, or where the layers are not passed in order."""
    phases = phases_of(expansion)
    last = max(blocks.values())
    nodes = [_copy(node) for node in expansion.nodes]
    made = Expansion(nodes, list(expansion.cells), expansion.results, expansion.batch)
    changed = False
    for block in range(last):
        changed = _again(made, expansion, phases, blocks, block) or changed
    return made if changed and _can_run(made) else None


def _again(made: Expansion, old: Expansion, phases: list[str], blocks: dict[int, int], block: int) -> bool:
    """Let the backward pass of a block make its activations again."""
    numbers = range(len(old.nodes))
    inside = {
        number
        for number in numbers
        if phases[number] == "forward"
        and blocks.get(old.nodes[number].layer) == block
        and not old.nodes[number].op.type.startswith(_KEPT)
    }
    backward = [n for n in numbers if phases[n] == "backward" and blocks.get(old.nodes[n].layer) == block]
    used_outside = {
        cell
        for number in numbers
        if number not in inside and phases[number] == "forward"
        for cell in old.nodes[number].inputs
    }
    wanted = {
        cell
        for number in backward
        for cell in old.nodes[number].inputs
        if old.cells[cell].node in inside and cell not in used_outside and cell not in old.results
    }
    arriving = {
        old.cells[cell].node
        for number in backward
        for cell in old.nodes[number].inputs
        if (maker := old.cells[cell].node) >= 0 and phases[maker] == "backward" and maker not in backward
    }
    if not wanted or not arriving:
        return False
    # One node waits for all that arrives, instead of each of the clones: in loops both are thousands.
    made.nodes.append(Node(_ARRIVED, (), tuple(sorted(arriving)), Scene(backward=True)))
    again = _clone(made, old, wanted, inside, used_outside, (len(made.nodes) - 1,))
    for number in backward:
        node = made.nodes[number]
        node.inputs = tuple(again.get(cell, cell) for cell in node.inputs)
    return True


def _clone(
    made: Expansion, old: Expansion, wanted: set[int], inside: set[int], kept: set[int], after: tuple[int, ...]
) -> dict[int, int]:
    """The same cells made once more, from what is kept, by the old ones."""
    makers = _makers(old, wanted, inside, kept)
    again: dict[int, int] = {}
    for number in sorted(makers):
        node = old.nodes[number]
        clone = _copy(node, tuple(again.get(cell, cell) for cell in node.inputs), after)
        outputs = []
        for cell in node.outputs:
            fresh = _copied(old.cells[cell])
            fresh.node = len(made.nodes)
            again[cell] = len(made.cells)
            outputs.append(again[cell])
            made.cells.append(fresh)
        clone.outputs = tuple(outputs)
        made.nodes.append(clone)
    return again


def _makers(old: Expansion, wanted: Iterable[int], inside: set[int], kept: set[int]) -> set[int]:
    found: set[int] = set()
    waiting = list(wanted)
    while waiting:
        maker = old.cells[waiting.pop()].node
        if maker in inside and maker not in found:
            found.add(maker)
            waiting += [cell for cell in old.nodes[maker].inputs if cell not in kept]
    return found


def _from_data(expansion: Expansion) -> set[int]:
    """The cells that depend on more than variables and constants."""
    found = {
        number
        for number, cell in enumerate(expansion.cells)
        if cell.source or (cell.node < 0 and cell.variable < 0 and cell.shape)
    }
    for node in expansion.nodes:
        if any(cell in found for cell in node.inputs):
            found.update(node.outputs)
    return found


def _needed_later(expansion: Expansion, phases: list[str]) -> set[int]:
    return {
        cell
        for number, node in enumerate(expansion.nodes)
        if phases[number] == "backward"
        for cell in node.inputs
        if (maker := expansion.cells[cell].node) >= 0 and phases[maker] == "forward"
    }


def _can_run(expansion: Expansion) -> bool:
    """Whether no node waits for itself."""
    waits: list[int] = []
    users: dict[int, list[int]] = {}
    for number, node in enumerate(expansion.nodes):
        before = {expansion.cells[cell].node for cell in node.inputs} | set(node.controls)
        before.discard(-1)
        waits.append(len(before))
        for one in before:
            users.setdefault(one, []).append(number)
    ready = [number for number, count in enumerate(waits) if count == 0]
    done = 0
    while ready:
        done += 1
        for user in users.get(ready.pop(), ()):
            waits[user] -= 1
            if waits[user] == 0:
                ready.append(user)
    return done == len(expansion.nodes)


def _copy(node: Node, inputs: tuple[int, ...] | None = None, controls: tuple[int, ...] | None = None) -> Node:
    made = Node(
        node.op,
        node.inputs if inputs is None else inputs,
        node.controls if controls is None else controls,
        Scene(node.layer, node.line, node.backward),
    )
    made.outputs = node.outputs
    return made


def _copied(cell: Cell) -> Cell:
    made = Cell(cell.node, cell.shape, cell.dtype, cell.value)
    made.items, made.source, made.size_bytes, made.variable = cell.items, cell.source, cell.size_bytes, cell.variable
    made.in_rows = cell.in_rows
    return made
