"""What a statement calls the thing that it makes. Pure."""

from __future__ import annotations

import ast
import textwrap

from whydied.diagnose.finding import Location


def assigned_name(place: Location) -> str | None:
    """The name or attribute that a statement assigns to, or binds in a `with`; None where it does neither."""
    statement = _statement(place)
    if isinstance(statement, ast.Assign):
        return _written(statement.targets[0])
    if isinstance(statement, ast.AnnAssign | ast.AugAssign):
        return _written(statement.target)
    if isinstance(statement, ast.With):
        bound = [item.optional_vars for item in statement.items if item.optional_vars is not None]
        return _written(bound[0]) if bound else None
    return None


def called_names(place: Location) -> list[str]:
    """What a statement calls, as written: `tf.py_function`, `model.fit`; outermost first."""
    statement = _statement(place)
    if statement is None:
        return []
    return [
        name for node in ast.walk(statement) if isinstance(node, ast.Call) and (name := _written(node.func)) is not None
    ]


def _written(node: ast.AST) -> str | None:
    if isinstance(node, ast.Name):
        return node.id
    if isinstance(node, ast.Attribute):
        inner = _written(node.value)
        return f"{inner}.{node.attr}" if inner else node.attr
    return None


def _statement(place: Location) -> ast.stmt | None:
    text = textwrap.dedent(place.source or "").strip()
    # The header of a compound statement comes without its body.
    for attempt in (text, f"{text}\n    pass"):
        try:
            body = ast.parse(attempt).body
        except (SyntaxError, ValueError):
            continue
        return body[0] if body else None
    return None
