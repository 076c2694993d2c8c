"""A relative path was counted from another directory than the program means.

## What it detects
A file that is not found by its relative path, while the same path exists from the directory of the script, or from one
above the working directory that the program changed to.

## Why it happens
A relative path begins at the working directory: that is where the program was started, until `os.chdir` changes it.

## Evidence
The path, the working directory at the failure, and where the file was found.

## How it is proved
The file was looked for and found there while the program was alive: certain. That it is the one that was meant is
likely.

## Fix
An absolute path, made before the directory changes or from the script's own directory.

## Known problems
A file of the same relative path in a directory above can be another one.
"""

from __future__ import annotations

import ast
import os
import re

from whydied.diagnose.case import Case, line_words, prefix
from whydied.diagnose.errors.usage import place_of, root_link, said
from whydied.diagnose.finding import Culprit, Evidence, Finding
from whydied.records import Frame, RaisedException
from whydied.source.calls import callee
from whydied.source.trees import across

ROLE = "explanation"


def check(case: Case) -> Finding | None:
    link = root_link(case)
    moved = _moved(link) if link is not None and link.type == "FileNotFoundError" else None
    if link is None or moved is None:
        return None
    path, there = moved
    here = (link.wanted or "")[: -len(path) - 1]
    failing = place_of(case)
    changed = [(file, call) for file, call in across(case.project, ast.Call) if callee(call) in ("chdir", "fchdir")]
    place = failing
    words = f"'{path}' is relative to the working directory {here or '/'}, and the file is in {there}"
    if changed and failing is not None:
        last = [one for one in changed if (one[0], one[1].lineno) != (failing.file, failing.line)][-1:]
        if last:
            file, call = last[0]
            place = case.locate(Frame(file=file, line=call.lineno, function="", user=True))
            words = (
                f"the working directory changes to {here} here, and {line_words(failing)} opens '{path}', which is "
                f"relative to {there}"
            )
    base = "os.path.abspath(…) before this line" if place != failing else "os.path.join(os.path.dirname(__file__), …)"
    return Finding(
        message=f"{prefix(place)}{words}",
        certainty="likely",
        location=place,
        culprit=Culprit(kind="file", name=path, near=link.near[:1]),
        evidence=[said(link), Evidence(fact="the file is at", value=link.near[0], source="ExceptionRaised")],
        advice=[f"Make '{path}' absolute with `{base}`, or pass '{link.near[0]}'."],
    )


def _moved(link: RaisedException) -> tuple[str, str] | None:
    """The relative path, and the other directory in which it exists."""
    wanted, near = link.wanted or "", link.near[0] if link.near else ""
    if not wanted.startswith("/") or not near.startswith("/") or os.path.dirname(wanted) == os.path.dirname(near):
        return None
    said = link.filename or link.message
    parts = wanted.split("/")
    ends = ["/".join(parts[-count:]) for count in range(1, len(parts))]
    shared = [
        one
        for one in ends
        if near.endswith(f"/{one}") and re.search(rf"(?<![\w/])(?:\.\.?/)*{re.escape(one)}(?!\w)", said)
    ]
    return (shared[-1], near[: -len(shared[-1]) - 1] or "/") if shared else None
