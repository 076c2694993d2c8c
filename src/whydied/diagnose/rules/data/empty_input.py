"""A call into Keras was given no data.

## What it detects
`fit` on no rows or no batches, also where the program then finished as if it had learnt something; `evaluate` and
`predict` on nothing, where the program died of it.

## Why it happens
A filter, a split or a glob that leaves nothing; `batch(…, drop_remainder=True)` with fewer rows than a batch; a
generator that was used up before.

## Evidence
The shapes of the arguments, the rows and batches of a tf.data pipeline made from arrays, and what Keras says of a
generator or PyDataset without elements.

## How it is proved
The number of rows or batches is direct evidence: certain.

## Fix
See the advice of the finding.

## Known problems
A pipeline with a `filter` that drops every row is not seen: `fit` on it neither fails nor says anything.
"""

from __future__ import annotations

import ast
from typing import Any

from whydied.diagnose.case import Case, prefix
from whydied.diagnose.errors.advice import Advice, advised
from whydied.diagnose.finding import Culprit, Evidence, Finding
from whydied.records import CallBegan, CallEnded, DataSeen, RaisedException
from whydied.source.calls import argument
from whydied.source.edits.edit import Edit
from whydied.source.edits.shapes.layer_edits import without_setting
from whydied.source.trees import across
from whydied.texts import data_pipelines
from whydied.texts.entry import any_of

_SAID = any_of(data_pipelines.NO_ELEMENT, data_pipelines.NO_BATCH)

ROLE = "explanation"
YIELDS_TO = ("label-out-of-range",)


def check(case: Case) -> Finding | None:
    ended = {call.call: call.raised for call in case.records.all(CallEnded)}
    for call in case.records.all(CallBegan):
        failed = case.uncaught is not None and ended.get(call.call, "") is not None
        trained = call.kind == "fit" and case.exit_code == 0
        if (failed or trained) and (reason := _emptiness(case, call, failed)):
            return _finding(case, call, reason)
    return None


def _emptiness(case: Case, call: CallBegan, failed: bool) -> str | None:
    """Why a call has no data, in words."""
    if call.kind.endswith("_on_batch"):
        return None
    given = call.arguments.get("x")
    if _has_no_rows(given):
        return "has no rows"
    seen = [one for one in case.records.all(DataSeen) if one.call == call.call]
    for one in seen:
        if one.rows == 0:
            return "has no rows"
        if one.batches == 0:
            return f"gives no batch: its {one.rows:,} rows are fewer than one batch, and the remainder is dropped"
    raised = case.uncaught
    if failed and raised is not None and _says_so(raised.chain[0]):
        return "gave no batch"
    return None


def _says_so(link: RaisedException) -> bool:
    """Keras 3 has words for it; Keras 2 only asks for a first batch to learn what it is like."""
    asked = link.type == "StopIteration" and bool(link.frames) and link.frames[-1].function == "_peek_and_restore"
    return asked or _SAID.search(link.message) is not None


def _has_no_rows(given: Any) -> bool:
    if not isinstance(given, dict):
        return False
    parts = given.get("parts")
    if parts:
        return any(_has_no_rows(part) for part in (parts.values() if isinstance(parts, dict) else parts))
    shape: list[int | None] = given.get("shape") or [None]
    return shape[0] == 0


def _finding(case: Case, call: CallBegan, reason: str) -> Finding:
    place = case.locate(call.frames[-1]) if call.frames else None
    name = (
        (argument(case.sources, place, call.kind, "x") or argument(case.sources, place, call.kind, "0"))
        if place
        else None
    )
    told = call.arguments.get("x")
    shape = told.get("shape") if isinstance(told, dict) else None
    advice = _advice(case, reason)
    return Finding(
        message=f"{prefix(place)}{call.kind} was given no data: {name or 'x'} {reason}",
        certainty="certain",
        location=place,
        culprit=Culprit(kind="data", name=name, shape=shape),
        evidence=[Evidence(fact=f"data of {call.kind}", value=reason, source="CallBegan, DataSeen")],
        advice=advice.sentences,
        changes=advice.changes,
    )


def _advice(case: Case, reason: str) -> Advice:
    if reason.endswith("dropped"):
        return advised("Leave out `drop_remainder=True`, or use a smaller batch.", "batch", _with_remainder(case))
    words = (
        "Look for what removes everything: a filter, a split, a file name pattern, `drop_remainder=True`, or a "
        "generator that is already exhausted."
    )
    return Advice([words], [])


def _with_remainder(case: Case) -> list[Edit] | None:
    """The only call of the program that drops a remainder, without that."""
    found = [
        (file, call)
        for file, call in across(case.sources, ast.Call)
        if any(word.arg == "drop_remainder" for word in call.keywords)
    ]
    if len(found) != 1:
        return None
    file, call = found[0]
    return without_setting(case.sources[file], file, call, "drop_remainder")
