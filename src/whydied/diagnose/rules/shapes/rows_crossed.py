"""A loss compares every prediction with every target, because one of the two has an axis more.

## What it detects
A difference within a loss that is trained on, one side of which is a column (rows, 1) and the other a vector (rows):
the result is (rows, rows), and its mean is a number that looks like a loss.

## Why it happens
A last layer with one unit gives a column, and the targets were read as a vector. TensorFlow broadcasts the two against
each other and says nothing. The model learns the mean of the targets.

## Evidence
The op of the recorded graph, the shapes of both sides and of the result, and the line that made it.

## How it is proved
Only one side depends on what is trained, both have as many rows, and the result goes whole into the mean or the sum of
the loss: likely. Where a check of the program's own fails it is told as the cause, else beside. Differences of all
pairs that are meant have both sides from the model, or a row and a column.

## Fix
The column as a vector, `prediction[:, 0]`, or the targets as a column, `target[:, None]`.

## Known problems
Steps that run eagerly leave no graph and are not looked at; nor are products, such as those of a cross-entropy that the
program writes out.
"""

from __future__ import annotations

import ast
from typing import NamedTuple

from whydied.diagnose.case import Case, prefix
from whydied.diagnose.data.failing_data import failing
from whydied.diagnose.data.own_checks import is_own_check
from whydied.diagnose.errors.framework_error import shape_words
from whydied.diagnose.finding import Culprit, Evidence, Finding, Location
from whydied.graph.op_table import Dims, Function, Op, Table
from whydied.records import Frame, GraphRecorded
from whydied.source.calls import callee
from whydied.source.edits.edit import Change, over, written_in
from whydied.source.trees import nodes_on, written

ROLE = "cause"
LARGEST_WALK = 5_000
LONGEST_WAY = 6
_DIFFERENCES = ("Sub", "SquaredDifference")
_WHOLE = ("Mean", "Sum")
_SAME_SHAPE = ("Square", "Abs", "Pow", "Mul", "RealDiv", "Identity", "Neg", "Cast", "Sqrt", "AddV2", "SelectV2")


def explains_end(case: Case) -> bool:
    """Only a check of the program's own: the program goes on with it, and has learnt nothing."""
    found = failing(case)
    return found is not None and is_own_check(found)


class Crossed(NamedTuple):
    """`column` and `vector` are the positions of the two sides among the op's inputs."""

    table: Table
    op: Op
    column: int
    shapes: tuple[Dims, Dims]


def check(case: Case) -> Finding | None:
    for recorded in case.principal.all(GraphRecorded) if case.principal is not None else []:
        table = case.recording.graphs.table(recorded.file)
        found = _crossed(table) if table is not None else None
        if found is not None and found.op.line >= 0:
            return _finding(case, found)
    return None


def _crossed(table: Table) -> Crossed | None:
    for function in table.functions:
        if not any(op.type.endswith("Grad") or "gradient" in op.name for op in function.ops):
            continue
        for at, op in enumerate(function.ops):
            sides = _sides(function, op) if op.type in _DIFFERENCES and "gradient" not in op.name else None
            if sides is None:
                continue
            column = 0 if len(sides[0]) == 2 else 1
            trained = [_is_trained(table, function, source) for source, _ in op.inputs]
            if trained.count(True) == 1 and _goes_whole(function, at):
                return Crossed(table, op, column, sides)
    return None


def _sides(function: Function, op: Op) -> tuple[Dims, Dims] | None:
    """The shapes of a column and a vector of as many rows."""
    if len(op.inputs) != 2:
        return None
    first, second = (_shape(function, one) for one in op.inputs)
    if first is None or second is None or sorted((len(first), len(second))) != [1, 2]:
        return None
    column, vector = (first, second) if len(first) == 2 else (second, first)
    if column[1] != 1 or column[0] != vector[0] or column[0] == 1:
        return None
    return first, second


def _shape(function: Function, tensor: tuple[int, int]) -> Dims | None:
    at, output = tensor
    shapes = function.ops[at].shapes
    return shapes[output] if output < len(shapes) else None


def _is_trained(table: Table, function: Function, start: int) -> bool:
    """Whether a value depends on a variable of floats."""
    seen: set[int] = set()
    waiting = [start]
    while waiting and len(seen) < LARGEST_WALK:
        at = waiting.pop()
        if at in seen:
            continue
        seen.add(at)
        op = function.ops[at]
        if op.variable >= 0 and table.variables[op.variable].dtype.startswith(("float", "bfloat")):
            return True
        waiting += [source for source, _ in op.inputs]
    return False


def _goes_whole(function: Function, start: int) -> bool:
    """Whether all of it ends in one number, by steps that keep its shape."""
    reached = {start}
    for _ in range(LONGEST_WAY):
        following: set[int] = set()
        for at, op in enumerate(function.ops):
            if not any(source in reached for source, _ in op.inputs) or "gradient" in op.name:
                continue
            if op.type in _WHOLE and op.shapes and op.shapes[0] == ():
                return True
            if op.type in _SAME_SHAPE:
                following.add(at)
        if not following:
            return False
        reached = following
    return False


def _finding(case: Case, found: Crossed) -> Finding:
    line = found.table.lines[found.op.line]
    place = case.locate(Frame(file=line.file, line=line.line, function=line.function, user=True))
    column, vector = (shape_words(list(found.shapes[side])) for side in (found.column, 1 - found.column))
    written_as = _operands(case, place)
    text = f"`{written(written_as[0])} - {written(written_as[1])}`" if written_as is not None else "the difference"
    names = [f"`{written(one)}`" for one in written_as] if written_as is not None else ["one side", "the other"]
    which = f"{names[found.column]} is a column {column} and {names[1 - found.column]} a vector {vector}"
    return Finding(
        message=f"{prefix(place)}{text} compares every row with every other: {which}; expected both of one shape",
        certainty="likely",
        location=place,
        culprit=Culprit(kind="tensor", name=names[found.column].strip("`") if written_as is not None else None),
        evidence=[
            Evidence(
                fact=f"shape of the {found.op.type} in the graph of the training step",
                value=shape_words(list(found.op.shapes[0] or ())) if found.op.shapes else "unknown",
                source="GraphRecorded",
            )
        ],
        advice=_advice(names, found) if written_as is not None else ["Bring both sides to one shape."],
        changes=_changes(case, place, written_as, found),
    )


def _advice(names: list[str], found: Crossed) -> list[str]:
    column, vector = names[found.column].strip("`"), names[1 - found.column].strip("`")
    return [f"Write `{_called(column)}[:, 0]` for the column, or `{_called(vector)}[:, None]` for the vector."]


def _called(text: str) -> str:
    return text if text.replace(".", "").replace("_", "").isalnum() or text.endswith(")") else f"({text})"


def _operands(case: Case, place: Location) -> tuple[ast.expr, ast.expr] | None:
    """Both sides of the only difference of the statement."""
    source = case.sources.get(place.file)
    nodes = nodes_on(source, place.line) if source is not None else []
    found = [(one.left, one.right) for one in nodes if isinstance(one, ast.BinOp) and isinstance(one.op, ast.Sub)]
    found += [
        (one.args[0], one.args[1])
        for one in nodes
        if isinstance(one, ast.Call) and callee(one) in ("subtract", "squared_difference") and len(one.args) == 2
    ]
    return found[0] if len(found) == 1 else None


def _changes(case: Case, place: Location, sides: tuple[ast.expr, ast.expr] | None, found: Crossed) -> list[Change]:
    source = case.sources.get(place.file)
    if source is None or sides is None:
        return []
    node = sides[found.column]
    edit = over(source, place.file, node, f"{_called(written_in(source, node))}[:, 0]")
    return [Change(title="Take the column as a vector", kind="expression", edits=[edit])]
