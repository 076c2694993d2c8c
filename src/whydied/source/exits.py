"""Statements of the user's source that end the program. Pure."""

from __future__ import annotations

import ast
from collections.abc import Mapping

from whydied.source.location import Location
from whydied.source.text import Source


def only_exit_raised(sources: Mapping[str, Source]) -> Location | None:
    """The statement that raises SystemExit, where the user's files have just one."""
    found = [
        Location(
            file=file,
            line=node.lineno,
            end_line=node.end_lineno,
            source="\n".join(source.lines[node.lineno - 1 : node.end_lineno]).strip(),
        )
        for file, source in sources.items()
        for node in ast.walk(source.tree)
        if isinstance(node, ast.Raise) and _is_exit(node.exc)
    ]
    return found[0] if len(found) == 1 else None


def _is_exit(node: ast.expr | None) -> bool:
    name = node.func if isinstance(node, ast.Call) else node
    return isinstance(name, ast.Name) and name.id == "SystemExit"
