"""The statement at fault, where a finding blames the line that raised and that line may stay as it is. Pure.

The line that raised is where something was noticed. Where all changes that let the program finish are of one other
statement, and what that statement makes is used by the line that raised, the fault was written there.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable, Sequence

from whydied.diagnose.case import Case
from whydied.diagnose.data.failing_data import Failing, failing
from whydied.diagnose.finding import Finding, Location
from whydied.source.edits.edit import Change
from whydied.source.trees import located

MOST_FOLLOWED = 60
Statement = tuple[str, int]


def made_there(case: Case, findings: Sequence[Finding], changes: Sequence[Change]) -> Location | None:
    """The statement that all changes are of; None where that of the findings is right, or it is not known to make what
    failed."""
    found = failing(case)
    changed = {
        _statement(case, edit.file, edit.start[0]) for one in changes for edit in one.edits if not _is_import(edit.text)
    }
    if found is None or len(changed) != 1:
        return None
    raised, place = _statement(case, found.place.file, found.place.line), next(iter(changed))
    told = {_statement(case, one.location.file, one.location.line) for one in findings if one.location is not None}
    if told != {raised} or place == raised or not _makes(found, place):
        return None
    return located(case.project, *place)


def _statement(case: Case, file: str, line: int) -> Statement:
    source = case.project.get(file)
    return file, source.span(line)[0] if source is not None and line <= len(source.lines) else line


def _is_import(text: str) -> bool:
    """A line that a change only needs for its names."""
    return text.lstrip().startswith(("import ", "from "))


def _makes(found: Failing, place: Statement) -> bool:
    """Whether the way back from what the failing statement uses comes through a statement."""
    pending = [(found.place.file, found.place.line, one) for one in _read_in(found.expressions)]
    seen: set[tuple[str, int, str]] = set()
    while pending and len(seen) < MOST_FOLLOWED:
        file, line, node = pending.pop(0)
        key = (file, line, ast.dump(node))
        if key in seen:
            continue
        seen.add(key)
        for step in found.trails.trail(file, line, node):
            if _statement(found.case, step.file, step.line) == place:
                return True
            pending += [(step.file, step.line, one) for one in _read_in(ast.walk(step.value))]
    return False


def _read_in(nodes: Iterable[ast.AST]) -> list[ast.expr]:
    """The names and attributes that are read."""
    return [one for one in nodes if isinstance(one, ast.Name | ast.Attribute) and isinstance(one.ctx, ast.Load)]
