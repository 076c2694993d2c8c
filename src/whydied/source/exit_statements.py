"""Statements of the user's source that end the program. Pure."""

from __future__ import annotations

import ast
import re
from collections.abc import Mapping

from whydied.source.location import Location
from whydied.source.text import Source
from whydied.source.trees import across, around, tree_of, written


def only_exit_raised(sources: Mapping[str, Source]) -> Location | None:
    """The statement that raises SystemExit, where the user's files have just one."""
    found = [
        Location(
            file=file,
            line=node.lineno,
            end_line=node.end_lineno,
            source=sources[file].text(node.lineno, node.end_lineno or node.lineno).strip(),
        )
        for file, node in across(sources, ast.Raise)
        if _is_exit(node.exc)
    ]
    return found[0] if len(found) == 1 else None


def _is_exit(node: ast.expr | None) -> bool:
    name = node.func if isinstance(node, ast.Call) else node
    return isinstance(name, ast.Name) and name.id == "SystemExit"


def raises_over(sources: Mapping[str, Source], file: str, line: int, subject: re.Pattern[str]) -> bool:
    """Whether a line raises or asserts, and what it says or a condition around it is about a subject."""
    statements = around(tree_of(sources, file), line, (ast.Raise, ast.Assert))
    spoken = any(subject.search(written(node)) for node in statements)
    return spoken or (bool(statements) and is_under_test(sources, file, line, subject))


def is_under_test(sources: Mapping[str, Source], file: str, line: int, subject: re.Pattern[str]) -> bool:
    """Whether a line runs under a condition that is about a subject."""
    tree = tree_of(sources, file)
    return any(
        subject.search(written(node.test))
        for node in around(tree, line, ast.stmt)
        if isinstance(node, ast.If | ast.While)
    )
