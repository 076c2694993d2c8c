"""The changes of a finding as the lines that their patches take out and put in."""

from __future__ import annotations

from whydied.diagnose.case import Case
from whydied.diagnose.finding import Finding
from whydied.source.edits.edit import Change, patch


def patches_of(case: Case, found: Finding | list[Change] | None) -> list[list[str]]:
    """Of each change the lines with `-` and `+`; a change that gives no patch fails the test."""
    changes = found if isinstance(found, list) else (found.changes or []) if found is not None else []
    return [lines_of(case, change) for change in changes]


def lines_of(case: Case, change: Change) -> list[str]:
    text = patch(case.sources, change.edits, "/home/ann")
    assert text is not None, change
    return [line for line in text.splitlines()[2:] if line[:1] in "+-"]
