"""Edits of what functions do each time although it is to happen once. Pure."""

from __future__ import annotations

import ast

from whydied.source.calls import own_names
from whydied.source.edits.edit import Edit
from whydied.source.edits.statement_edits import lines_of, stands_alone, statement_at, without_statement
from whydied.source.text import Source
from whydied.source.trees import function_at, walk


def created_outside(source: Source, file: str, line: int) -> list[Edit]:
    """An assignment above the function that it stands in. Nothing where its value is the function's own, the function
    gives the name another value too, or it is a method."""
    function, made = function_at(source.tree, line), statement_at(source, line)
    if function is None or not isinstance(made, ast.Assign) or made not in function.body:
        return []
    target = made.targets[0]
    if len(made.targets) != 1 or not isinstance(target, ast.Name) or not stands_alone(source, made):
        return []
    stored = [node.id for node in walk(function, ast.Name) if isinstance(node.ctx, ast.Store)]
    own = own_names(function) | set(stored)
    if own & {node.id for node in walk(made.value, ast.Name)} or stored.count(target.id) != 1 or "self" in own:
        return []
    first = min([function.lineno, *(one.lineno for one in function.decorator_list)])
    indent = " " * function.col_offset
    text = "".join(f"{indent}{one}\n" for one in lines_of(source, made))
    gap = "\n\n" if not indent else "\n"
    return [Edit(file, (first, 0), (first, 0), text + gap), without_statement(source, file, made)]
