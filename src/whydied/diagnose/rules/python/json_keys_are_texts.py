"""A number is looked up among keys that came out of JSON, which are texts.

## What it detects
A `KeyError` of a number, or of a text of digits, where the dictionary has the same key as the other type, and the
program reads JSON.

## Why it happens
JSON has texts as keys only: `json.dump` writes the key 3 as "3", and `json.load` gives it back like that.

## Evidence
The key that was missed, those that are there, and the line that reads the file.

## How it is proved
The keys were seen; that they come from that file is told by the source: likely.

## Fix
The keys as numbers, where the file is read.

## Known problems
Where several lines read JSON the failing line is told.
"""

from __future__ import annotations

import ast

from whydied.diagnose.case import Case, line_words, prefix
from whydied.diagnose.errors.usage import place_of, root_link, said
from whydied.diagnose.finding import Culprit, Evidence, Finding
from whydied.records import Frame
from whydied.source.edits.edit import Change, over, written_in
from whydied.source.trees import across, written

ROLE = "explanation"


def check(case: Case) -> Finding | None:
    link, failing = root_link(case), place_of(case)
    wanted = (link.wanted or "") if link is not None and link.type == "KeyError" else ""
    if link is None or failing is None or not wanted.lstrip("-").isdigit() or repr(wanted) not in link.near:
        return None
    reads = [one for one in across(case.project, ast.Call) if written(one[1].func) in ("json.load", "json.loads")]
    if not reads:
        return None
    holder = f"`{link.holder}`" if link.holder else "the dictionary"
    keys = [one.strip("'\"") for one in link.keys]
    place, changes = failing, []
    advice = f"Make the keys numbers where they are read, or look up `{wanted!r}`."
    if len(reads) == 1:
        file, call = reads[0]
        place = case.locate(Frame(file=file, line=call.lineno, function="", user=True))
        if keys and all(one.lstrip("-").isdigit() for one in keys):
            source = case.project[file]
            text = f"{{int(key): value for key, value in {written_in(source, call)}.items()}}"
            changes = [Change(title="Make the keys numbers", kind="expression", edits=[over(source, file, call, text)])]
            advice = f"Make the keys numbers where they are read: `{text}`."
    at = f" on {line_words(failing)}" if place != failing else ""
    return Finding(
        message=f"{prefix(place)}keys out of JSON are texts, and {holder}{at} is asked for the number {wanted}",
        certainty="likely",
        location=place,
        culprit=Culprit(kind="key", name=wanted, near=[repr(wanted)]),
        evidence=[said(link), Evidence(fact="keys", value=", ".join(link.keys[:8]), source="ExceptionRaised")],
        advice=[advice],
        changes=changes,
    )
