"""A file with one JSON object on each line is read as a single one.

## What it detects
`json.load` finding more data behind the first line of a file whose first line is a JSON object by itself.

## Why it happens
Such files (JSON lines, often `.jsonl`, but also `.json`) are read line by line.

## Evidence
Where the decoder stopped, from the exception; the first line of the file, read at the failure.

## How it is proved
The first line is an object by itself, and the decoder stopped at the second: certain.

## Fix
`[json.loads(line) for line in file]`; the edit is given.

## Known problems
None known.
"""

from __future__ import annotations

import ast

from whydied.diagnose.case import Case, prefix
from whydied.diagnose.data.failing_data import failing
from whydied.diagnose.errors.usage import said
from whydied.diagnose.finding import Culprit, Finding
from whydied.records import TextFileSeen
from whydied.source.calls import callee
from whydied.source.edits.edit import Change, over
from whydied.source.trees import written
from whydied.texts import estimators

ROLE = "explanation"


def check(case: Case) -> Finding | None:
    found = failing(case, "JSONDecodeError")
    if found is None or estimators.MORE_JSON.search(found.link.message) is None:
        return None
    seen = [one for one in case.records.all(TextFileSeen) if one.first_line.strip()[:1] in ("{", "[")]
    calls = [one for one in found.expressions if isinstance(one, ast.Call) and callee(one) == "load" and one.args]
    if not seen or not calls:
        return None
    right = f"[json.loads(line) for line in {written(calls[0].args[0])}]"
    edit = over(found.sources[found.place.file], found.place.file, calls[0], right)
    base = seen[-1].path.rsplit("/", 1)[-1]
    return Finding(
        message=f"{prefix(found.place)}`{base}` has one JSON object on each line, and `{written(calls[0])}` reads it "
        "as a single one",
        certainty="certain",
        location=found.place,
        culprit=Culprit(kind="file", name=seen[-1].path),
        evidence=[said(found.link)],
        advice=[f"Read it line by line: `{right}`."],
        changes=[Change(title="Read it line by line", kind="expression", edits=[edit])]
        if found.is_editable(found.place.file)
        else [],
    )
