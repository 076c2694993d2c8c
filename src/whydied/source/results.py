"""What the functions of the user's source give back. Pure."""

from __future__ import annotations

import ast
from collections.abc import Mapping
from typing import NamedTuple

from whydied.source.text import Source
from whydied.source.trees import Function, walk, within


class NoResult(NamedTuple):
    """A function that gives None. `owner` is the class that it is a method of; `expression_line` the line of the
    expression that it ends in, where it does."""

    file: str
    line: int
    name: str
    owner: str
    expression_line: int | None


def functions_without_result(sources: Mapping[str, Source]) -> list[NoResult]:
    found = []
    for file, source in sources.items():
        owners = {method: owner.name for owner in walk(source.tree, ast.ClassDef) for method in owner.body}
        for function in walk(source.tree, ast.FunctionDef):
            if not has_result(function):
                last = function.body[-1]
                line = last.lineno if isinstance(last, ast.Expr) else None
                found.append(NoResult(file, function.lineno, function.name, owners.get(function, ""), line))
    return found


def has_result(function: Function) -> bool:
    """Whether a function returns or yields something, not counting the functions in it."""
    return any(
        isinstance(node, (ast.Yield, ast.YieldFrom)) or (isinstance(node, ast.Return) and node.value is not None)
        for node in within(function)
    )
