"""`Dataset.window` gives data sets, and what comes after it takes them for tensors.

## What it detects
A data set where a tensor is wanted (`w[:-1]`, `w.shape`), in a program that cuts its data into windows by `window` and
does not turn each window into a tensor.

## Why it happens
A window of `tf.data` is itself a small data set, so that windows may have different lengths.

## Evidence
The type that was refused, and the call of `window` behind which no `flat_map` stands.

## How it is proved
The value was a data set: certain, where just one call of `window` can have made it.

## Fix
`flat_map(lambda part: part.batch(size))` behind `window`: one tensor for each window.

## Known problems
Windows of several components (`(x, y)`) need one `batch` for each, and get no patch that works.

## References
TensorFlow documentation: tf.data.Dataset.window.
"""

from __future__ import annotations

import ast

from whydied.diagnose.case import Case, line_words, prefix
from whydied.diagnose.errors.exception_words import evidence_of
from whydied.diagnose.errors.quotation import quoted
from whydied.diagnose.finding import Culprit, Finding
from whydied.source.calls import callee, passed_argument
from whydied.source.edits.edit import Change, Edit, end_of, written_in
from whydied.source.trees import across, located, walk
from whydied.texts import python_errors

ROLE = "explanation"
_NO_ITEMS = python_errors.NOT_SUBSCRIPTABLE.pattern
_NO_ATTRIBUTE = python_errors.VALUE_WITHOUT_ATTRIBUTE.pattern
_FLATTENING = ("flat_map", "interleave")


def check(case: Case) -> Finding | None:
    said = quoted(case, _NO_ITEMS, _NO_ATTRIBUTE)
    if said is None or said.place is None or not said.match[1].endswith("Dataset"):
        return None
    calls = [(file, one) for file, one in across(case.project, ast.Call) if callee(one) in ("window", *_FLATTENING)]
    windows = [one for one in calls if callee(one[1]) == "window"]
    if len(windows) != 1 or len(calls) != 1:
        return None
    file, call = windows[0]
    size = passed_argument(call, "size") or passed_argument(call, "0")
    source = case.project[file]
    place = located(case.project, file, call.lineno)
    if size is None or any(isinstance(one, ast.NamedExpr) for one in walk(size, ast.NamedExpr)):
        return None
    added = f".flat_map(lambda part: part.batch({written_in(source, size)}))"
    used = "" if said.place.line == place.line else f", and {line_words(said.place)} takes them for tensors"
    title = f"Add `{added}` behind `window`"
    return Finding(
        message=f"{prefix(place)}`window` gives a data set for each window, not a tensor{used}",
        certainty="certain",
        location=place,
        culprit=Culprit(kind="call", name="window"),
        evidence=evidence_of(said.link, said.raised),
        advice=[f"{title}: one tensor for each window."],
        changes=[
            Change(title=title, kind="call", edits=[Edit(file, end_of(source, call), end_of(source, call), added)])
        ],
    )
