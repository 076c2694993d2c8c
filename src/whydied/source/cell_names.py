"""What cells of a notebook make and read at their own level. Pure."""

from __future__ import annotations

import ast
from typing import NamedTuple

from whydied.source.assignments import stored_names
from whydied.source.trees import walk, written


class Made(NamedTuple):
    """A statement that gives a name its value; `reads` are the names that it needs for that."""

    line: int
    text: str
    reads: frozenset[str]


def made_in(tree: ast.Module) -> dict[str, Made]:
    """The names that the cell leaves behind, each with the last statement that makes it."""
    found: dict[str, Made] = {}
    for statement in tree.body:
        names = _names(statement)
        if names:
            made = Made(statement.lineno, written(statement), frozenset(reads(statement) - names))
            found |= dict.fromkeys(names, made)
    return found


def reads(node: ast.AST) -> set[str]:
    return {name.id for name in walk(node, ast.Name) if isinstance(name.ctx, ast.Load)}


def _names(statement: ast.stmt) -> set[str]:
    if isinstance(statement, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
        return {statement.name}
    if isinstance(statement, ast.Import | ast.ImportFrom):
        return {alias.asname or alias.name.partition(".")[0] for alias in statement.names}
    return stored_names(statement)
