"""A name is used before the statement that makes it has run.

## What it detects
A `NameError` for a name that the file does make, at its top level, on a line below the one that was running there.

## Why it happens
Statements stand in the wrong order: cells of a notebook that was run in another order and then exported, a call of a
function before the variable that it reads, a definition below its use.

## Evidence
The name, the statement that was running at the top level of the file, and the statements that bind the name there, all
of them below it.

## How it is proved
Python runs a file from top to bottom: certain.

## Fix
The statement that makes the name, moved above; as a patch where it is on one line and needs nothing made in between.

## Known problems
A name that is also made conditionally above is taken for one that exists.
"""

from __future__ import annotations

import ast
import builtins

from whydied.diagnose.case import Case, line_words, prefix
from whydied.diagnose.errors.usage import root_link, said
from whydied.diagnose.finding import Culprit, Evidence, Finding
from whydied.records import Frame, RaisedException
from whydied.source.edits.edit import Change, Edit, line_before
from whydied.source.text import Source

ROLE = "explanation"
YIELDS_TO = ("cells-out-of-order",)
_TOP = "<module>"


def check(case: Case) -> Finding | None:
    link = root_link(case)
    if link is None or link.type != "NameError" or not link.wanted:
        return None
    frame = _top_level(link)
    source = case.sources.get(frame.file) if frame is not None else None
    if frame is None or source is None:
        return None
    first, last = source.span(frame.line)
    bound = [one for one in source.tree.body if link.wanted in _bound(one)]
    if not bound or any(one.lineno <= last for one in bound):
        return None
    made = bound[0]
    place, below = case.locate(frame), Frame(file=frame.file, line=made.lineno, function=_TOP, user=True)
    return Finding(
        message=f"{prefix(place)}`{link.wanted}` is used before {line_words(below)} makes it",
        certainty="certain",
        location=place,
        culprit=Culprit(kind="name", name=link.wanted),
        evidence=[
            said(link),
            Evidence(fact=f"`{link.wanted}` is made on", value=line_words(below), source="SourceKept"),
        ],
        advice=[f"Move line {made.lineno} above line {first}."],
        changes=_moved(source, frame.file, made, first),
    )


def _top_level(link: RaisedException) -> Frame | None:
    """What ran at the top level of the file in which the name was looked for."""
    users = [one for one in link.frames if one.user]
    if not users:
        return None
    return next((one for one in users if one.file == users[-1].file and one.function == _TOP), None)


def _bound(statement: ast.stmt) -> set[str]:
    """The names that a statement of the top level makes, also within a loop, a condition or a `with`."""
    if isinstance(statement, ast.FunctionDef | ast.ClassDef | ast.AsyncFunctionDef):
        return {statement.name}
    if isinstance(statement, ast.Import | ast.ImportFrom):
        return {(one.asname or one.name).partition(".")[0] for one in statement.names}
    stored = {one.id for one in ast.walk(statement) if isinstance(one, ast.Name) and isinstance(one.ctx, ast.Store)}
    inner = [one for one in ast.iter_child_nodes(statement) if isinstance(one, ast.stmt)]
    return stored.union(*(_bound(one) for one in inner))


def _moved(source: Source, file: str, made: ast.stmt, above: int) -> list[Change]:
    """None where the statement takes several lines, or needs a name that is made between the two places."""
    needed = {one.id for one in ast.walk(made) if isinstance(one, ast.Name) and isinstance(one.ctx, ast.Load)}
    before = {name for one in source.tree.body if one.lineno < above for name in _bound(one)}
    if made.lineno != made.end_lineno or hasattr(made, "body") or needed - before - set(dir(builtins)):
        return []
    edits = [
        line_before(source, file, above, source.lines[made.lineno - 1].strip()),
        Edit(file, (made.lineno, 0), (made.lineno + 1, 0), ""),
    ]
    return [Change(title=f"Move line {made.lineno} above line {above}", kind="order", edits=edits, harm="exact")]
