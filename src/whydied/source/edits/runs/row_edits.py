"""Edits of the rows that a training is given: those that are not finite left out before it. Pure.

Arrays belong together where one call gets them, where a data set is made of them, or where one statement takes the same
slice of them.
"""

from __future__ import annotations

import ast
from typing import NamedTuple

from whydied.source.calls import callee, own_names, passed_argument
from whydied.source.edits.edit import Edit, line_before, over, written_in
from whydied.source.edits.import_edits import name_of
from whydied.source.statements import loops_in
from whydied.source.text import Source
from whydied.source.training.data_way import leaves_unmatched
from whydied.source.trees import Function, holds, nodes_on, scope_at, walk, within

_KEPT = ("finite", "is_finite", "finite_rows")


class _Together(NamedTuple):
    """Arrays that go by the same rows, and the line before which they can be cut."""

    names: list[str]
    line: int


def finite_rows(source: Source, file: str, bad: str, rank: int) -> list[Edit]:
    """The rows where an array is finite, of all arrays that belong to it, above where they are used. None where that
    is not one place."""
    numpy = name_of(source, "numpy")
    known = {node.id for node in walk(source.tree, ast.Name)}
    kept = next((name for name in _KEPT if name not in known), None)
    found = [one for one in (*_fitted(source.tree), *_sliced(source.tree)) if bad in one.names]
    if numpy is None or kept is None or len(found) != 1 or len(found[0].names) < 2 or not rank:
        return []
    names, line = found[0]
    if not set(names) <= _own_names(source.tree, line) or any(
        holds(loop, line) and loop.lineno < line for loop in loops_in(source.tree)
    ):
        return []
    cut = f"{', '.join(names)} = {', '.join(f'{name}[{kept}]' for name in names)}"
    return [
        line_before(source, file, line, f"{kept} = {numpy}.isfinite({bad}){_along(rank)}"),
        line_before(source, file, line, cut),
    ]


def filled(source: Source, file: str, line: int) -> list[Edit]:
    """The only table that a statement joins and that keeps rows without a match, with 0 where they have no value."""
    nodes = [node for node in nodes_on(source, line) if isinstance(node, ast.Call) and leaves_unmatched(node)]
    return [over(source, file, nodes[0], f"{written_in(source, nodes[0])}.fillna(0)")] if len(nodes) == 1 else []


def adapted_to_finite(source: Source, file: str, rank: int) -> Edit | None:
    """The only array that a layer is adapted to, without the rows that are not finite."""
    numpy = name_of(source, "numpy")
    given = [call.args[0] for call in walk(source.tree, ast.Call) if callee(call) == "adapt" and call.args]
    data = given[0] if len(given) == 1 else None
    if numpy is None or not isinstance(data, ast.Name) or not rank:
        return None
    return over(source, file, data, f"{data.id}[{numpy}.isfinite({data.id}){_along(rank)}]")


def _along(rank: int) -> str:
    """What makes one answer of each row."""
    return {1: "", 2: ".all(axis=1)"}.get(rank, f".all(axis={tuple(range(1, rank))})")


def _own_names(tree: ast.Module, line: int) -> set[str]:
    """What the function around a line binds itself: only that can be assigned anew there."""
    scope = scope_at(tree, line)
    stored = {node.id for node in within(scope) if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store)}
    return stored | (own_names(scope) if isinstance(scope, Function) else set())


def _fitted(tree: ast.Module) -> list[_Together]:
    """`model.fit(x, y)` and `from_tensor_slices((x, y))`, with names alone."""
    found = []
    for call in walk(tree, ast.Call):
        given: list[ast.expr | None] = []
        if callee(call) == "fit" and not passed_argument(call, "sample_weight"):
            given = [passed_argument(call, "x") or passed_argument(call, "0")]
            given.append(passed_argument(call, "y") or passed_argument(call, "1"))
        elif callee(call) == "from_tensor_slices" and call.args and isinstance(call.args[0], ast.Tuple):
            given = list(call.args[0].elts)
        names = [one.id for one in given if isinstance(one, ast.Name)]
        if names and len(names) == len(given):
            found.append(_Together(names, call.lineno))
    return found


def _sliced(tree: ast.Module) -> list[_Together]:
    """`x[a:b], y[a:b]` in one statement of a loop, which is cut above the outermost loop."""
    found = []
    for statement in walk(tree, ast.stmt):
        if isinstance(statement, ast.For | ast.While | ast.With | ast.FunctionDef | ast.ClassDef):
            continue
        parts = [node for node in walk(statement, ast.Subscript) if isinstance(node.ctx, ast.Load)]
        taken = {ast.dump(node.slice) for node in parts}
        names = list(dict.fromkeys(node.value.id for node in parts if isinstance(node.value, ast.Name)))
        outer = [loop for loop in loops_in(tree) if holds(loop, statement.lineno)]
        if len(taken) == 1 and len(names) > 1 and outer and isinstance(parts[0].slice, ast.Slice):
            found.append(_Together(names, min(loop.lineno for loop in outer)))
    return found
