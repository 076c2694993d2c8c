"""Several threads ask one generator for its next element at the same time.

## What it detects
`ValueError: generator already executing`.

## Why it happens
A generator runs in the thread that asks it, and only in one at a time. Threads that load data, or the workers of a
library, share one.

## Evidence
The exception and the line that asked; the type of what was asked.

## How it is proved
Python raises this only for a generator that is running: certain.

## Fix
One lock around `next`, or a source that can be indexed, such as `keras.utils.PyDataset`.

## Known problems
A generator that asks itself raises the same; then the line that asks lies in the generator.
"""

from __future__ import annotations

from whydied.diagnose.case import Case, prefix
from whydied.diagnose.errors.usage import place_of, root_link, said
from whydied.diagnose.finding import Culprit, Finding, Location
from whydied.source.edits.edit import Change
from whydied.source.edits.programs.pipeline_edits import under_lock
from whydied.source.generators import iterator_asked
from whydied.texts import python_errors

ROLE = "explanation"


def check(case: Case) -> Finding | None:
    link, place = root_link(case), place_of(case)
    if link is None or link.type != "ValueError" or not python_errors.GENERATOR_RUNS.pattern.search(link.message):
        return None
    name = iterator_asked(case.sources, place)
    what = f"`{name}`" if name else "one generator"
    lock = "Hold one lock while you ask it"
    if name:
        lock += f": `lock = threading.Lock()` once for all threads, and `with lock: item = next({name})` here"
    return Finding(
        message=f"{prefix(place)}several threads ask {what} for its next element at once, and a generator runs in one "
        "thread at a time",
        certainty="certain",
        location=place,
        culprit=Culprit(kind="generator", name=name),
        evidence=[said(link)],
        advice=[f"{lock}; or replace the generator by a `keras.utils.PyDataset`, whose items are asked by index."],
        changes=_changes(case, place, name),
    )


def _changes(case: Case, place: Location | None, name: str | None) -> list[Change]:
    source = case.sources.get(place.file) if place is not None else None
    if source is None or place is None or name is None:
        return []
    edits = under_lock(source, place.file, place.line, name)
    return [Change(title=f"Ask `{name}` under one lock", kind="statement", edits=edits)] if edits else []
