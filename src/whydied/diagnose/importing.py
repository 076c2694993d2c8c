"""Findings whose changes use a name that the changed file does not import: the import goes with them. Pure."""

from __future__ import annotations

import msgspec

from whydied.diagnose.case import Case
from whydied.diagnose.finding import Finding
from whydied.source.edits.needed_imports import needed_imports


def with_imports(case: Case, finding: Finding) -> Finding:
    changes, told = [], []
    for change in finding.changes or []:
        needed = needed_imports(case.sources, change.edits)
        changes.append(msgspec.structs.replace(change, edits=[*change.edits, *(one.edit for one in needed)]))
        told += [f"`{one.file.rpartition('/')[2]}` also needs `{one.text}`." for one in needed]
    if not told:
        return finding
    return msgspec.structs.replace(finding, changes=changes, advice=[*finding.advice, *dict.fromkeys(told)])
