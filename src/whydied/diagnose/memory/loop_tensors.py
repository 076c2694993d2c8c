"""What a loop inside a traced function keeps of each round: tensors written to a `TensorArray`, and what the gradient
of the loop will need. Pure.

How many rounds a loop runs is often a value of the data, which no graph tells. What one round keeps it does tell, and
with it how many rounds the memory that was taken stands for.
"""

from __future__ import annotations

from typing import NamedTuple

from whydied.diagnose.case import Case
from whydied.diagnose.memo import once
from whydied.diagnose.memory.call_at_death import running_call
from whydied.diagnose.memory.step_need import bindings_of, graph_of
from whydied.graph.expansion import Expansion, Node, expand
from whydied.graph.op_table import Line, Shape, Table

_LOOPS = frozenset({"While", "StatelessWhile"})
_WRITTEN = {"TensorListSetItem": 2, "TensorListPushBack": 1}
"""Ops that put a tensor into a list, and which of their inputs it is."""
SMALLEST_BYTES = 64 << 10


class Item(NamedTuple):
    """One tensor that stays of each round. `line` is the user's that wrote it; `for_gradient` says that nobody wrote it
    and the backward pass needs it."""

    shape: Shape
    dtype: str
    size_bytes: int
    line: Line | None
    for_gradient: bool


class KeptPerRound(NamedTuple):
    """A loop whose rounds are not known, in a function: what one of them keeps, the largest first."""

    function: str
    items: list[Item]

    @property
    def size_bytes(self) -> int:
        return sum(item.size_bytes for item in self.items)


@once
def kept_per_round(case: Case) -> KeptPerRound | None:
    """The loop of the function that was running at the end, where it keeps something of each round."""
    running = running_call(case)
    chosen = graph_of(case, running)
    if running is None or chosen is None:
        return None
    recorded, table = chosen
    if not any(op.type in _LOOPS for function in table.functions for op in function.ops):
        return None
    try:
        items = _items(table, expand(table, bindings_of(running)))
    except (ArithmeticError, LookupError, ValueError, TypeError, AssertionError, RecursionError):
        return None
    return KeptPerRound(recorded.function, items) if items else None


def _items(table: Table, expansion: Expansion) -> list[Item]:
    """What lists get in the bodies of loops that were taken to run once, for want of a number."""
    bodies = {
        str(op.attributes.get("body")) for function in table.functions for op in function.ops if op.type in _LOOPS
    }
    inside = {id(op) for function in table.functions if function.name in bodies for op in function.ops}
    written: dict[int, list[Node]] = {}
    for node in expansion.nodes:
        if node.op.type in _WRITTEN and id(node.op) in inside and len(node.inputs) > _WRITTEN[node.op.type]:
            written.setdefault(id(node.op), []).append(node)
    found: dict[int, Item] = {}
    for nodes in written.values():
        node = nodes[0]
        number = node.inputs[_WRITTEN[node.op.type]]
        cell = expansion.cells[number]
        # What is there before the loop, and a variable, is one tensor, however often it is put into a list.
        made = cell.node >= 0 and cell.variable < 0 and expansion.nodes[cell.node].op.type != "Const"
        if len(nodes) == 1 and made and cell.size_bytes >= SMALLEST_BYTES:
            line = table.lines[node.line] if node.line >= 0 else None
            item = Item(cell.shape, cell.dtype, cell.size_bytes, line, node.op.type == "TensorListPushBack")
            if number not in found or not item.for_gradient:
                found[number] = item
    return sorted(found.values(), key=lambda item: -item.size_bytes)
