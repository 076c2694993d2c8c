"""A loop inside a traced function keeps tensors of each round.

## What it detects
A program that ran out of memory in a `tf.function`, a step or a session whose graph has a loop that writes to a
`tf.TensorArray`, or whose gradient needs what each round computed.

## Why it happens
`TensorArray.write` keeps every tensor until the array is read or dropped. For the gradient of a loop TensorFlow keeps
all intermediate results of all rounds. A loop of a thousand rounds needs a thousand times what one needs.

## Evidence
The recorded graph: the loop, what one round puts into lists, with shapes and lines; the memory before the call and at
the end.

## How it is proved
Likely where the call took at least 40 % of what the program held above its libraries, the graph without the rounds
predicts less than 60 % of that, and what one round keeps would come to it after eight rounds or more.

## Fix
Write every nth round, or what is needed of it; run the loop in parts and write each part out; for the gradient cut the
sequence (truncated back-propagation) or compute rounds again (`tf.recompute_grad`).

## Known problems
How many rounds the loop was to run is not known: the number of rounds is reckoned from the memory that was taken.
"""

from __future__ import annotations

from typing import NamedTuple

from whydied import words
from whydied.diagnose.case import Case, prefix
from whydied.diagnose.finding import Culprit, Evidence, Finding, Location
from whydied.diagnose.memo import once
from whydied.diagnose.memory.bounding_changes import change_of
from whydied.diagnose.memory.call_at_death import own_bytes, running_call
from whydied.diagnose.memory.step_need import bindings_of, graph_of, need_of
from whydied.graph.expansion import Expansion, Node, expand
from whydied.graph.op_table import Line, Shape, Table
from whydied.records import Frame
from whydied.source.assignments import target
from whydied.source.edits.edit import Change
from whydied.source.edits.memory.growth_edits import every_nth
from whydied.source.statements import method_in_loop
from whydied.source.trees import tree_of

_LOOPS = frozenset({"While", "StatelessWhile"})
_WRITTEN = {"TensorListSetItem": 2, "TensorListPushBack": 1}
"""Ops that put a tensor into a list, and which of their inputs it is."""
SMALLEST_BYTES = 64 << 10

TAKES = 0.4
PREDICTED = 0.6
FEWEST = 8
EVERY = 50
"""How many iterations there were to be is not known."""

ROLE = "memory"
YIELDS_TO = ("oversized-batch-once",)


def check(case: Case) -> Finding | None:
    running = running_call(case)
    if running is None or case.uncaught is not None or running.grown_bytes < TAKES * own_bytes(case):
        return None
    found, need = kept_per_round(case), need_of(case)
    if found is None or need is None or need.peak_bytes >= PREDICTED * running.grown_bytes:
        return None
    number = running.grown_bytes // found.size_bytes
    if number < FEWEST:
        return None
    largest = found.items[0]
    place = _place(case, found) or running.place
    name = target(case.sources, place) if not largest.for_gradient else None
    what = "what its gradient needs" if largest.for_gradient else "a tensor"
    in_ = f" in `{name}`" if name else ""
    each = f"{list(largest.shape)} {largest.dtype}"
    besides = f" and {len(found.items) - 1:,} more" if len(found.items) > 1 else ""
    return Finding(
        message=f"{prefix(place)}the loop in `{found.function}` keeps {what} of each iteration{in_}, {each}{besides}, "
        f"{words.size(found.size_bytes)}: about {number:,} iterations took the {words.size(running.grown_bytes)} that "
        "was free",
        certainty="likely",
        location=place,
        culprit=Culprit(
            kind="loop",
            name=name or found.function,
            shape=list(largest.shape),
            dtype=largest.dtype,
            bytes=running.grown_bytes,
            value=f"{found.size_bytes} bytes per iteration",
        ),
        evidence=[
            Evidence(
                fact="memory at the start of the call, and at the end",
                value=f"{words.size(running.before_bytes)}, {words.size(running.before_bytes + running.grown_bytes)}",
                source="LineSampled, ProgramEnded",
            ),
            *(
                Evidence(
                    fact="kept of each iteration",
                    value=f"{list(item.shape)} {item.dtype}, {words.size(item.size_bytes)}"
                    + (", for the gradient" if item.for_gradient else ""),
                    source="GraphRecorded",
                )
                for item in found.items[:3]
            ),
        ],
        advice=_advice(found),
        changes=_changes(case, place),
    )


def _changes(case: Case, place: Location) -> list[Change]:
    source = case.sources.get(place.file)
    edits = every_nth(source, place.file, place.line, EVERY) if source is not None else []
    return change_of(f"Keep every {EVERY}th iteration", "bound", edits)


def _place(case: Case, found: KeptPerRound) -> Location | None:
    """The line that writes; where the graph tells only that of the loop, the `write` in its body."""
    line = next((item.line for item in found.items if item.line is not None), None)
    if line is None:
        return None
    number = line.line
    if not found.items[0].for_gradient:
        number = method_in_loop(tree_of(case.sources, line.file), line.line, "write") or line.line
    return case.locate(Frame(file=line.file, line=number, function=line.function, user=True))


def _advice(found: KeptPerRound) -> list[str]:
    if found.items[0].for_gradient:
        return [
            "Split the loop into shorter ones, each with its own gradient (truncated back-propagation).",
            "`tf.recompute_grad` around the body recomputes an iteration instead of keeping it.",
        ]
    return [
        "Keep every nth iteration, or only what you need of it (a mean, the last state).",
        "Run the loop in parts, and write out each part before the next.",
    ]


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
    """The loop of the function that was running at the end, where it keeps something of each round. How many rounds it
    runs is often a value of the data, which no graph tells."""
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
