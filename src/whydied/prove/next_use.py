"""Whether a changed program fails at once of what the change made. Pure.

A change that gets past a failure, and then fails where the very thing that it wrote is first used, has only moved the
failure: `OneHotEncoder(categories=[0])` takes the argument, and its `fit` does not.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping, Sequence

from whydied.prove.observed import Call, short_name
from whydied.source.edits.edit import Edit
from whydied.source.text import Source
from whydied.source.trees import dotted_name, scope_at, shallow, within

NEXT = 2
"""Statements that use a value after it was made, of which the first ones show whether it is any good."""


def fails_of_it(sources: Mapping[str, Source], edits: Sequence[Edit], stack: Sequence[Call]) -> bool:
    """Whether the failure lies at one of the first uses of what the edited statements make; the calls of the stack are
    by their lines before the change."""
    for edit in edits:
        source = sources.get(edit.file)
        if source is None or not 0 < edit.start[0] <= len(source.lines):
            continue
        scope = scope_at(source.tree, edit.start[0])
        made = next((one for one in _statements(scope) if _holds(one, edit.start[0])), None)
        lines = [call.line for call in stack if call.file == short_name(edit.file)]
        if made is None or not lines:
            continue
        names = set(_made_by(made)) - {""}
        uses = [one for one in _statements(scope) if one.lineno > made.lineno and names & set(_read_by(one))]
        if any(_holds(use, line) for use in uses[:NEXT] for line in lines):
            return True
    return False


_BLOCKS = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef, ast.For, ast.While, ast.If, ast.With, ast.Try)


def _statements(scope: ast.AST) -> list[ast.stmt]:
    """Those that are executed by themselves, in the order of the text."""
    found = [one for one in within(scope) if isinstance(one, ast.stmt) and not isinstance(one, _BLOCKS)]
    return sorted(found, key=lambda one: one.lineno)


def _holds(statement: ast.stmt, line: int) -> bool:
    return statement.lineno <= line <= (statement.end_lineno or statement.lineno)


def _made_by(statement: ast.stmt) -> Iterator[str]:
    for one in shallow(statement):
        if isinstance(one, ast.Name | ast.Attribute) and isinstance(one.ctx, ast.Store):
            yield dotted_name(one) or ""


def _read_by(statement: ast.stmt) -> Iterator[str]:
    for one in shallow(statement):
        if isinstance(one, ast.Name | ast.Attribute) and isinstance(one.ctx, ast.Load):
            yield dotted_name(one) or ""
