"""One statement of the user's source, parsed from its text alone. Pure."""

from __future__ import annotations

import ast
import textwrap

from whydied.source.location import Location


def assigned_name(place: Location) -> str | None:
    """The name or attribute that a statement assigns to, or binds in a `with`; None where it does neither."""
    statement = parsed_statement(place)
    if isinstance(statement, ast.Assign):
        return dotted_name(statement.targets[0])
    if isinstance(statement, ast.AnnAssign | ast.AugAssign):
        return dotted_name(statement.target)
    if isinstance(statement, ast.With):
        bound = [item.optional_vars for item in statement.items if item.optional_vars is not None]
        return dotted_name(bound[0]) if bound else None
    return None


def dotted_name(node: ast.AST) -> str | None:
    """`model.layers` as written; None for anything but names and attributes."""
    if isinstance(node, ast.Name):
        return node.id
    if isinstance(node, ast.Attribute):
        inner = dotted_name(node.value)
        return f"{inner}.{node.attr}" if inner else node.attr
    return None


def parsed_statement(place: Location) -> ast.stmt | None:
    text = textwrap.dedent(place.source or "").strip()
    # The header of a compound statement comes without its body.
    for attempt in (text, f"{text}\n    pass"):
        try:
            body = ast.parse(attempt).body
        except (SyntaxError, ValueError):
            continue
        return body[0] if body else None
    return None
