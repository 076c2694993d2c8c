"""Subscripts that take one column where rows are taken (`table[i:i + 6, 0]`), in what an array was made of: in the
statements that it came through, in what was appended to the list that it was made of, and in comprehensions. Pure.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping
from typing import NamedTuple

from whydied.source.bindings import part_of
from whydied.source.numbers import constants, evaluate
from whydied.source.origins.trails import Trails
from whydied.source.text import Source
from whydied.source.trees import scope_at, tree_of, walk, within, written

_DEEPEST = 4


class TakenColumn(NamedTuple):
    """`node` is the subscript, `part` the part of it that is a number, and `column` that number."""

    file: str
    node: ast.Subscript
    part: ast.expr
    column: int


def taken_columns(sources: Mapping[str, Source], trails: Trails, file: str, node: ast.expr) -> list[TakenColumn]:
    """Those behind an expression, the nearest first."""
    found: dict[tuple[str, int, int], TakenColumn] = {}
    for where, value in _behind(sources, trails, file, node, _DEEPEST):
        known = constants(tree_of(sources, where))
        for one in walk(value, ast.Subscript):
            index = _column_of(one, known)
            if index is not None:
                found.setdefault((where, one.lineno, one.col_offset), TakenColumn(where, one, *index))
    return list(found.values())


def _behind(
    sources: Mapping[str, Source], trails: Trails, file: str, node: ast.expr, deepest: int
) -> Iterator[tuple[str, ast.expr]]:
    """What an expression came of, each with its file."""
    yield file, node
    for step in trails.trail(file, node.lineno, node):
        value = part_of(step.value, step.place)[0]
        yield step.file, value
        if deepest and _is_empty_list(value):
            for one in _appended(sources, step.file, step.line, step.name):
                yield from _behind(sources, trails, step.file, one, deepest - 1)


def _is_empty_list(node: ast.expr) -> bool:
    made = isinstance(node, ast.Call) and written(node.func) == "list" and not node.args
    return made or (isinstance(node, ast.List) and not node.elts)


def _appended(sources: Mapping[str, Source], file: str, line: int, name: str) -> Iterator[ast.expr]:
    """What is put into a list in the function that made it."""
    for one in within(scope_at(tree_of(sources, file), line)):
        if isinstance(one, ast.Call) and isinstance(one.func, ast.Attribute) and written(one.func.value) == name:
            if one.func.attr in ("append", "extend") and one.args:
                yield one.args[0]
        elif isinstance(one, ast.AugAssign) and written(one.target) == name:
            yield one.value


def _column_of(node: ast.Subscript, known: dict[str, float]) -> tuple[ast.expr, int] | None:
    """The one number beside slices: `0` of `[i:i + 6, 0]`."""
    parts = node.slice.elts if isinstance(node.slice, ast.Tuple) else []
    others = [one for one in parts if not isinstance(one, ast.Slice)]
    if len(others) != 1 or len(parts) < 2 or others[0] is parts[0] or not isinstance(node.ctx, ast.Load):
        return None
    number = evaluate(others[0], known)
    return (others[0], int(number)) if number is not None and number == int(number) else None
