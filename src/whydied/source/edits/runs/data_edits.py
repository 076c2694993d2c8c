"""Edits of the data that a program trains with, right before it is passed on: scaled, bad rows left out, gaps filled.
Pure.

Names are bound anew above the statement, or the outermost loop, that first passes them on. What is no plain name gets
its rows chosen where it is passed.
"""

from __future__ import annotations

import ast
from typing import NamedTuple

from whydied.source.calls import callee, own_names, passed_argument
from whydied.source.edits.edit import Edit, line_before, over, written_in
from whydied.source.edits.import_edits import name_of
from whydied.source.statements import loops_in
from whydied.source.text import Source
from whydied.source.trees import Function, holds, walk, within

_TAKING = frozenset(
    {"fit", "fit_generator", "from_tensor_slices", "train_on_batch", "evaluate", "predict", "from_tensors"}
)
_MASKS = ("finite", "is_finite", "finite_rows")
_PIXELS = 255.0


class Passed(NamedTuple):
    """Expressions that go by the same rows, and the line of the statement that passes them."""

    values: list[ast.expr]
    line: int


def scaled(
    source: Source, file: str, name: str, rank: int, *, largest: float = 0.0, negative: bool = True
) -> Edit | None:
    """An array scaled to around one before it is first passed on: pixels by 255, a table column by column."""
    line = _first_use(source.tree, name)
    if line is None:
        return None
    if rank > 2 and not negative and 1.0 < largest <= _PIXELS:
        return line_before(source, file, line, f"{name} = {name} / 255.0")
    numpy = name_of(source, "numpy")
    along = "axis=0" if rank == 2 else ""
    if numpy:
        middle = f"{numpy}.mean({name}{', ' if along else ''}{along})"
        spread = f"{numpy}.std({name}{', ' if along else ''}{along})"
    else:
        middle, spread = f"{name}.mean({along})", f"{name}.std({along})"
    return line_before(source, file, line, f"{name} = ({name} - {middle}) / ({spread} + 1e-7)")


def without_rows(source: Source, file: str, names: list[str], rows: list[int]) -> list[Edit]:
    """Some rows left out of arrays that go together, before they are first passed on."""
    numpy = name_of(source, "numpy")
    lines = {name: _first_use(source.tree, name) for name in names}
    found = [line for line in lines.values() if line is not None]
    if numpy is None or not names or not rows or len(found) != len(names):
        return []
    cut = ", ".join(f"{numpy}.delete({name}, {rows}, axis=0)" for name in names)
    return [line_before(source, file, min(found), f"{', '.join(names)} = {cut}")]


def masked_rows(source: Source, file: str, bad: str, rank: int) -> list[Edit]:
    """The rows where an expression is finite, chosen where it is passed on together with others."""
    numpy = name_of(source, "numpy")
    known = {node.id for node in walk(source.tree, ast.Name)}
    mask = next((name for name in _MASKS if name not in known), None)
    found = [one for one in passed(source.tree) if bad in [written_in(source, value) for value in one.values]]
    if numpy is None or mask is None or len(found) != 1 or not rank:
        return []
    values, line = found[0]
    if any(isinstance(value, ast.Starred | ast.Constant | ast.Lambda) for value in values):
        return []
    whole = {1: "", 2: ".all(axis=1)"}.get(rank, f".all(axis={tuple(range(1, rank))})")
    return [
        line_before(source, file, line, f"{mask} = {numpy}.isfinite({bad}){whole}"),
        *(over(source, file, value, f"{_bracketed(source, value)}[{mask}]") for value in values),
    ]


def filled(source: Source, file: str, name: str) -> Edit | None:
    """An array with 0 where it is not finite, before it is first passed on."""
    numpy, line = name_of(source, "numpy"), _first_use(source.tree, name)
    if numpy is None or line is None:
        return None
    text = f"{name} = {numpy}.nan_to_num({name}, posinf=0.0, neginf=0.0)"
    return line_before(source, file, line, text)


def passed(tree: ast.Module) -> list[Passed]:
    """What calls that train, evaluate or predict are given, and what data sets are made of."""
    found = []
    for call in walk(tree, ast.Call):
        if callee(call) not in _TAKING:
            continue
        held = passed_argument(call, "validation_data")
        if isinstance(held, ast.Tuple):
            found.append(Passed(list(held.elts), call.lineno))
        first = passed_argument(call, "x") or passed_argument(call, "0")
        second = passed_argument(call, "y") or passed_argument(call, "1")
        if callee(call).startswith("from_tensor") and isinstance(first, ast.Tuple):
            found.append(Passed(list(first.elts), call.lineno))
        elif first is not None:
            found.append(Passed([one for one in (first, second) if one is not None], call.lineno))
    return found


def _first_use(tree: ast.Module, name: str) -> int | None:
    """The line of the first statement that passes a name on to a training, or of the outermost loop that uses it, below
    what binds it in the only scope that does so."""
    if not name.isidentifier():
        return None
    scopes: list[ast.AST] = [one for one in ast.walk(tree) if isinstance(one, Function)]
    found = {line for scope in [*scopes, tree] if (line := _use_in(scope, name)) is not None}
    return found.pop() if len(found) == 1 else None


def _use_in(scope: ast.AST, name: str) -> int | None:
    inner = list(within(scope))
    names = [node for node in inner if isinstance(node, ast.Name) and node.id == name]
    bound = [node.lineno for node in names if isinstance(node.ctx, ast.Store)]
    given = isinstance(scope, Function) and name in own_names(scope)
    if not bound and not given:
        return None
    last = max(bound, default=0)
    loops = [node for node in loops_in(scope) if node in inner]
    for use in sorted((node for node in names if isinstance(node.ctx, ast.Load)), key=lambda node: node.lineno):
        around = [loop for loop in loops if holds(loop, use.lineno)]
        calls = [
            node
            for node in inner
            if isinstance(node, ast.Call) and callee(node) in _TAKING and use in walk(node, ast.Name)
        ]
        first = min((node.lineno for node in around), default=calls[0].lineno if calls else None)
        if first is not None and first > last:
            return first
    return None


def _bracketed(source: Source, node: ast.expr) -> str:
    text = written_in(source, node)
    return text if isinstance(node, ast.Name | ast.Attribute | ast.Subscript | ast.Call) else f"({text})"
