"""Edits that make float32 of what a statement makes as float64. Pure."""

from __future__ import annotations

import ast

from whydied.source.edits.edit import Edit, end_of, line_after, over, written_in
from whydied.source.edits.runs.size_edits import float32_array
from whydied.source.edits.statement_edits import stands_alone, statement_at
from whydied.source.text import Source
from whydied.source.trees import nodes_on, written


def divided_in_place(source: Source, file: str, line: int, numpy: str) -> list[Edit]:
    """`x = np.array(parts) / 255` as a float32 array that is divided where it is: a quotient of its own would take as
    much again."""
    node = statement_at(source, line)
    value = node.value if isinstance(node, ast.Assign) and len(node.targets) == 1 else None
    if not isinstance(value, ast.BinOp) or not isinstance(value.op, ast.Div) or not isinstance(node, ast.Assign):
        return []
    made = float32_array(source, file, line, numpy)
    if made is None or made.end != _inner_end(source, value.left) or not stands_alone(source, node):
        return []
    cut = Edit(file, end_of(source, value.left), end_of(source, value), "")
    by = f"{written(node.targets[0])} /= {written_in(source, value.right)}"
    return [made, cut, line_after(source, file, line, by)]


def _inner_end(source: Source, node: ast.expr) -> tuple[int, int]:
    """Where the arguments of a call end."""
    line, column = end_of(source, node)
    return line, column - 1


def narrowed(source: Source, file: str, line: int, numpy: str) -> Edit | None:
    """float64 that the statement names, as float32."""
    texts = {"float64": "float32", "double": "float32"}
    found = []
    for node in nodes_on(source, line):
        if isinstance(node, ast.Constant) and node.value in texts:
            found.append(over(source, file, node, '"float32"'))
        elif isinstance(node, ast.Attribute) and node.attr in texts:
            found.append(over(source, file, node, f"{written_in(source, node.value)}.float32"))
        elif isinstance(node, ast.keyword) and node.arg == "dtype" and written(node.value) == "float":
            found.append(over(source, file, node.value, f"{numpy}.float32"))
    return found[0] if len(found) == 1 else None
