"""A file that should hold a picture does not.

## What it detects
An op that decodes pictures (`decode_jpeg`, `decode_image`, `image_dataset_from_directory`) and refuses one: a file that
is empty, that breaks off, or that is something else with the name of a picture.

## Why it happens
A download that gave an error page, a copy that was interrupted, a text file or a hidden file among the pictures.

## Evidence
The exception says what could not be decoded, but not of which file. The files that the data set or the failing line
names were looked at in the program, each by its first and its last bytes.

## How it is proved
A file that is empty or begins like no picture is direct evidence: certain. A picture whose end is missing: likely.

## Fix
Remove or replace the files that are named; or leave out elements that fail (`ignore_errors`), where others are good.

## Known problems
Up to 20,000 files are looked at, for less than a second. A picture that is damaged in its middle is not found; then
nothing is said but what the exception says.
"""

from __future__ import annotations

import os

from whydied.diagnose.case import Case, prefix
from whydied.diagnose.errors.exception_context import party_texts
from whydied.diagnose.errors.exception_words import evidence_of
from whydied.diagnose.errors.framework_error import framework_error
from whydied.diagnose.finding import Culprit, Evidence, Finding, Location
from whydied.records import BadFile, PicturesLooked
from whydied.source.edits.edit import Change
from whydied.source.edits.runs.failing_elements import ignored_in_folder, ignored_where_mapped

_NAMED = 5
_LEFT_OUT = "If such files are expected, `.ignore_errors()` on the data set skips elements that fail."

ROLE = "explanation"
YIELDS_TO = ("generator-mismatch", "record-mismatch")


def check(case: Case) -> Finding | None:
    # Older recordings have it among the records of the program.
    found = case.recording.aftermath.pictures or case.records.last(PicturesLooked)
    raised = case.uncaught
    if found is None or raised is None or case.exit_code in (0, None):
        return None
    error = framework_error(case)
    made = error.facts.place if error is not None and error.facts.in_data else None
    place = case.locate(made) if made is not None else case.locate_exception(list(reversed(raised.chain)))
    first = found.files[0]
    return Finding(
        message=f"{prefix(place)}{_words(found)}",
        certainty="likely" if all(one.reason == "cut" for one in found.files) else "certain",
        location=place,
        culprit=Culprit(kind="file", name=first.path, value=first.begins or None),
        evidence=[
            *evidence_of(error.link if error is not None else raised.chain[-1], raised, party_texts(case)),
            *(Evidence(fact=_fact(one), value=one.path, source="PicturesLooked") for one in found.files[:_NAMED]),
            Evidence(fact="files checked", value=found.looked, source="PicturesLooked"),
        ],
        advice=[
            "Remove or replace the file." if found.bad == 1 else "Remove or replace these files.",
            *([_LEFT_OUT] if made is not None else []),
        ],
        changes=_left_out(case, found, place),
    )


def _left_out(case: Case, found: PicturesLooked, place: Location | None) -> list[Change]:
    """The data set without elements that fail; nothing where no picture would be left."""
    if found.bad >= found.looked:
        return []
    edits = ignored_where_mapped(case.sources, place.file, place.line) if place is not None else []
    edits = edits or ignored_in_folder(case.sources)
    return [Change(title="Leave out pictures that cannot be decoded", kind="data", edits=edits)] if edits else []


def _words(found: PicturesLooked) -> str:
    first = found.files[0]
    name = os.path.join(*first.path.split(os.sep)[-2:])
    if found.bad == 1:
        return f"{name} cannot be decoded: {_reason(first)}; expected an image"
    many = f"{found.bad:,} of {found.looked:,} files cannot be decoded"
    return f"{many}; the first is {name}: {_reason(first)}; expected images"


def _reason(one: BadFile) -> str:
    if one.reason == "empty":
        return "it is empty"
    if one.reason == "cut":
        return f"it starts as a {one.kind} and is cut off after {one.size_bytes:,} bytes"
    return f"it starts with '{one.begins}'"


def _fact(one: BadFile) -> str:
    return {"empty": "empty file", "cut": f"truncated {one.kind}"}.get(one.reason, "not an image")
