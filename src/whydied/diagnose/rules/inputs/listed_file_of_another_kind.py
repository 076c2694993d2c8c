"""A listing of a directory gives an entry that the program takes for something else.

## What it detects
An error of the file system (not a directory, is a directory, not found) or of a picture about a path whose last part
came out of `os.listdir`, `glob` or `iterdir`, where the entry is a hidden file or a directory.

## Why it happens
Folders of data also hold `.DS_Store`, `._name`, `.ipynb_checkpoints`, `Thumbs.db`, which the system or a
notebook wrote.

## Evidence
The path, from the exception; the line that lists the directory, followed through the source.

## How it is proved
The entry has the name of such a file, and the loop over the listing gave it: certain.

## Fix
Only directories, or only files with the right suffix, where the directory is listed.

## Known problems
None known.
"""

from __future__ import annotations

import ast
import os

from whydied.diagnose.case import Case, prefix
from whydied.diagnose.data.failing_data import Failing, failing, words_at
from whydied.diagnose.errors.usage import said
from whydied.diagnose.finding import Culprit, Finding
from whydied.source.calls import callee
from whydied.source.origins.trails import Step
from whydied.source.trees import walk, written

ROLE = "explanation"
_LISTING = frozenset({"listdir", "glob", "iglob", "rglob", "scandir", "iterdir"})
_SYSTEM = frozenset({"Thumbs.db", "desktop.ini", "__MACOSX", "__pycache__"})


def check(case: Case) -> Finding | None:
    found = failing(case, "NotADirectoryError", "IsADirectoryError", "FileNotFoundError", "UnidentifiedImageError")
    if found is None:
        return None
    path = found.link.filename or ""
    parts = [part for part in path.split(os.sep) if part.startswith(".") and part.strip(".")]
    parts += [part for part in path.split(os.sep) if part in _SYSTEM]
    listed = _listing(found) if parts else None
    if listed is None:
        return None
    file, line, call = listed
    place = found.located(file, line)
    at = f" on {words_at(found.place.file, found.place.line)}" if place != found.place else ""
    wants = "a directory" if found.link.type == "NotADirectoryError" else "data"
    test = "os.path.isdir(os.path.join(…, name))" if wants == "a directory" else 'not name.startswith(".")'
    return Finding(
        message=f"{prefix(place)}`{written(call)}` also lists `{parts[0]}`, a file of the system, which is taken for "
        f"{wants}{at}",
        certainty="certain",
        location=place,
        culprit=Culprit(kind="file", name=path),
        evidence=[said(found.link)],
        advice=[f"Take only the names that are meant: `[name for name in {written(call)} if {test}]`."],
    )


def _listing(found: Failing) -> tuple[str, int, ast.Call] | None:
    """The outermost line behind the names of the failing statement that lists a directory."""
    for node in [one for one in found.expressions if isinstance(one, ast.Name) and isinstance(one.ctx, ast.Load)]:
        for step in found.trails.trail(found.place.file, found.place.line, node):
            for inner in [step.value, *_comprehended(found, step)]:
                for call in walk(inner, ast.Call):
                    if callee(call) in _LISTING:
                        return step.file if inner is step.value else _file(found, call), call.lineno, call
    return None


def _comprehended(found: Failing, step: Step) -> list[ast.expr]:
    """What the names in a comprehension were assigned: `{name: … for name in names}`."""
    values: list[ast.expr] = []
    for one in walk(step.value, ast.comprehension):
        values += [inner.value for inner in found.trails.trail(step.file, step.line, one.iter)]
    return values


def _file(found: Failing, call: ast.Call) -> str:
    return next(file for file, source in found.sources.items() if any(one is call for one in ast.walk(source.tree)))
