"""The state that a recurrent layer begins with, made for a constant number of rows, or without an axis for them. Pure.

The layer meets batches of another number; the edit takes the rows from its input.
"""

from __future__ import annotations

import ast
from collections.abc import Collection
from typing import NamedTuple

from whydied.diagnose.case import Case
from whydied.diagnose.errors.framework_error import FrameworkError
from whydied.diagnose.finding import Location
from whydied.source.assignments import last_assignment
from whydied.source.calls import callee, passed_argument
from whydied.source.edits.call_edits import add_argument
from whydied.source.edits.edit import Edit, over, written_in
from whydied.source.edits.shapes.library_names import library_name
from whydied.source.numbers import constants
from whydied.source.text import Source
from whydied.source.training.batch_sizes import rows_of
from whydied.source.trees import across, located, nodes_on, scope_at, written

_UNROLLING = ("dynamic_rnn", "static_rnn", "raw_rnn")
_STATES = ("zero_state", "get_initial_state")
_FILLED = ("zeros", "ones")


class FixedState(NamedTuple):
    """`rows` is the number that is written, None where the state has no axis for them; `size` is what gives it of the
    inputs."""

    place: Location
    maker: str
    rows: int | None
    inputs: str
    size: str
    edits: list[Edit]


def fixed_state(case: Case, error: FrameworkError, met: Collection[int], *, ranks: bool) -> FixedState | None:
    """Of the innermost line that gives a layer its first state, else of the only one of the program, as a graph that
    ran has no line; with `ranks` also one without an axis for the rows."""
    frames = [one for one in reversed(error.link.frames) if one.user]
    frames = ([error.facts.place] if error.facts.place is not None else []) + frames
    at_work = [
        (one.file, call)
        for one in frames
        if one.file in case.project
        for call in nodes_on(case.project[one.file], one.line)
        if isinstance(call, ast.Call)
    ]
    found = (_state(case, file, call, met, ranks) for file, call in at_work)
    first = next((one for one in found if one is not None), None)
    if first is not None or not met:
        return first
    all_of_it = [_state(case, file, call, met, False) for file, call in across(case.project, ast.Call)]
    made = [one for one in all_of_it if one is not None]
    return made[0] if len(made) == 1 else None


def _state(case: Case, file: str, call: ast.Call, met: Collection[int], ranks: bool) -> FixedState | None:
    source = case.project[file]
    given = passed_argument(call, "inputs") or next(iter(call.args[int(callee(call) in _UNROLLING) :]), None)
    state = passed_argument(call, "initial_state")
    if not isinstance(given, ast.Name) or state is None:
        return None
    shape = library_name(source, file, "tensorflow.shape")
    rows = f"{shape.text}({given.id})[0]"
    whole = _value(source, state, call.lineno)
    parts = whole.elts if isinstance(whole, ast.List | ast.Tuple) else [whole]
    made: list[tuple[ast.Call, int | None, Edit]] = []
    for part in parts:
        value = _value(source, part, call.lineno)
        if isinstance(value, ast.Call):
            made += _of_rows(source, file, value, met, rows) or (
                _without_rows(source, file, value, rows) if ranks else []
            )
    if not made:
        return None
    first, number, _ = made[0]
    place = located(case.project, file, first.lineno)
    return FixedState(place, written(first), number, given.id, rows, [*shape.needed, *(edit for _, _, edit in made)])


def _value(source: Source, node: ast.expr, line: int) -> ast.expr:
    """What a name was last given above a line of its function."""
    if isinstance(node, ast.Name):
        made = last_assignment(node.id, scope_at(source.tree, line), line)
        return made.value if isinstance(made, ast.Assign) and len(made.targets) == 1 else node
    return node


def _of_rows(
    source: Source, file: str, made: ast.Call, met: Collection[int], rows: str
) -> list[tuple[ast.Call, int | None, Edit]]:
    """The number of rows that is written in what makes a state, where it is one of the sizes that met."""
    size = passed_argument(made, "batch_size") or next(iter(made.args), None)
    if callee(made) in _FILLED:
        shape = passed_argument(made, "shape") or next(iter(made.args), None)
        size = shape.elts[0] if isinstance(shape, ast.List | ast.Tuple) and len(shape.elts) > 1 else None
    elif callee(made) not in _STATES:
        size = None
    number = rows_of(size, source.tree, constants(source.tree)) if size is not None else None
    if size is None or number is None or number not in met:
        return []
    return [(made, int(number), over(source, file, size, rows))]


def _without_rows(source: Source, file: str, made: ast.Call, rows: str) -> list[tuple[ast.Call, int | None, Edit]]:
    """A vector, or a matrix with ones on its diagonal, as one for each row."""
    shape = passed_argument(made, "shape") or next(iter(made.args), None)
    if callee(made) == "eye" and passed_argument(made, "batch_shape") is None:
        edit = add_argument(source, file, made, f"batch_shape=[{rows}]")
        return [(made, None, edit)] if edit is not None else []
    if callee(made) not in _FILLED or shape is None:
        return []
    if isinstance(shape, ast.List | ast.Tuple) and len(shape.elts) != 1:
        return []
    size = shape.elts[0] if isinstance(shape, ast.List | ast.Tuple) else shape
    return [(made, None, over(source, file, shape, f"[{rows}, {written_in(source, size)}]"))]
