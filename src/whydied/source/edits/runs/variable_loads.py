"""A variable of a session that is set by a new `assign` op each time, set by `load` instead, which makes none. Pure."""

from __future__ import annotations

import ast
from collections.abc import Iterable

from whydied.source.assignments import targets
from whydied.source.calls import callee
from whydied.source.edits.edit import Edit, over, written_in
from whydied.source.text import Source
from whydied.source.trees import nodes_on, walk, written


def loaded(source: Source, file: str, lines: Iterable[int], tensorflow: str) -> list[Edit]:
    """`session.run(v.assign(x))` and `session.run(tf.assign(v, x))` on these lines as `v.load(x, session)`. Empty where
    another statement of theirs adds ops, or where the value may be a tensor, which `load` does not take."""
    tensors = _tensors(source, tensorflow)
    edits: list[Edit] = []
    for line in sorted(set(lines)):
        run = next((node for node in nodes_on(source, line) if isinstance(node, ast.Expr)), None)
        set_by = _assigned(run.value, tensorflow) if run is not None else None
        if run is None or set_by is None:
            return []
        session, variable, value = set_by
        if _names(value) & (tensors | _names(variable) - {"self"} | {tensorflow}):
            return []
        text = f"{written_in(source, variable)}.load({written_in(source, value)}, {written_in(source, session)})"
        edits.append(over(source, file, run.value, text))
    return edits


def _assigned(node: ast.expr, tensorflow: str) -> tuple[ast.expr, ast.expr, ast.expr] | None:
    """The session, the variable and its new value."""
    if not (isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr == "run"):
        return None
    asked = node.args[0] if len(node.args) == 1 and not node.keywords else None
    if not (isinstance(asked, ast.Call) and isinstance(asked.func, ast.Attribute) and callee(asked) == "assign"):
        return None
    if asked.keywords:
        return None
    if written(asked.func.value) == tensorflow:
        return (node.func.value, asked.args[0], asked.args[1]) if len(asked.args) == 2 else None
    return (node.func.value, asked.func.value, asked.args[0]) if len(asked.args) == 1 else None


def _tensors(source: Source, tensorflow: str) -> set[str]:
    """Names that are assigned something of TensorFlow's."""
    return {
        written(target)
        for node in walk(source.tree, ast.Assign)
        if tensorflow in _names(node.value)
        for target in targets(node)
    }


def _names(node: ast.AST) -> set[str]:
    return {part.id for part in walk(node, ast.Name)}
