"""Rows of a tensor that a function takes where it means columns: `y[2]` becomes `y[:, 2]`. Pure."""

from __future__ import annotations

import ast

from whydied.source.edits.edit import Edit, over, written_in
from whydied.source.text import Source
from whydied.source.trees import nodes_on, scope_at, walk


def column_edits(source: Source, file: str, line: int, name: str, columns: int) -> list[Edit] | None:
    """Every plain index of a value in the function around a line, and of what is indexed beside it in that statement.
    None where one of them is not a column."""
    taken = [node for node in nodes_on(source, line) if isinstance(node, ast.Subscript) and _number(node) is not None]
    names = {ast.unparse(node.value) for node in taken}
    if name not in names:
        return None
    scope = scope_at(source.tree, line)
    found = [one for one in walk(scope, ast.Subscript) if ast.unparse(one.value) in names]
    numbers = [_number(one) for one in found]
    if any(number is None or not 0 <= number < columns for number in numbers):
        return None
    return [over(source, file, one, f"{written_in(source, one.value)}[:, {_number(one)}]") for one in found]


def _number(node: ast.Subscript) -> int | None:
    index = node.slice
    return index.value if isinstance(index, ast.Constant) and type(index.value) is int else None
