"""Classes that only the validation part of the data has: `validation_split` takes the last rows, before any shuffling.

## What it detects
A check of the program's own that failed (an `assert`, an exception that it raises) after a `fit` with
`validation_split` whose last rows have classes which none of the rows before them has.

## Why it happens
The data were read class by class and are still in that order. `shuffle=True` shuffles what is left for the training.

## Evidence
The classes of the last rows and of the others, counted as `fit` was called.

## How it is proved
The classes were counted. That the check failed for it is an inference: likely. The change is tried in a copy of the
process.

## Fix
Data that are shuffled together before `fit`, or a split that keeps the shares of the classes.

## Known problems
A run whose checks pass is not told; targets of more than a million values are not counted.
"""

from __future__ import annotations

import ast
import re

from whydied.diagnose.case import Case, prefix
from whydied.diagnose.errors.usage import root_link, said
from whydied.diagnose.finding import Culprit, Evidence, Finding
from whydied.records import DataSeen, Frame, ModelSeen
from whydied.source.assignments import assigned
from whydied.source.calls import passed_argument
from whydied.source.edits.call_edits import calls_at
from whydied.source.edits.edit import Change, line_before
from whydied.source.edits.shapes.library_names import library_name
from whydied.source.trees import around, scope_at, walk, written

ROLE = "explanation"
_MOST = 6
_QUALITY = re.compile(r"val|acc|score|recall|precision|f1|metric|history", re.I)
"""What programs call how well a model does."""


def check(case: Case) -> Finding | None:
    link = root_link(case)
    if link is None or not link.frames or not link.frames[-1].user or not _judges(case, link.frames[-1]):
        return None
    seen = [one for one in case.records.all(DataSeen) if one.role == "target" and one.kept_back]
    # What was split last is what the program judges.
    last = seen[-1] if seen else None
    if last is None or not last.unseen or not last.frames or not _tells_classes(case, last):
        return None
    place = case.locate_user(last.frames)
    if place is None:
        return None
    classes = ", ".join(map(str, last.unseen[:_MOST])) + (", …" if len(last.unseen) > _MOST else "")
    which = f"class {classes} is" if len(last.unseen) == 1 else f"classes {classes} are"
    changes = _shuffled(case, place.file, place.line)
    return Finding(
        message=(
            f"{prefix(place)}{which} only in the last {last.kept_back} rows, which `validation_split` keeps from the "
            "training: it takes them before any shuffling"
        ),
        certainty="likely",
        location=place,
        culprit=Culprit(kind="data", name=last.name, shape=last.shape, dtype=last.dtype),
        evidence=[
            said(link),
            Evidence(fact="classes for validation alone", value=classes, source="DataSeen"),
            Evidence(fact="rows kept for validation", value=last.kept_back, source="DataSeen"),
        ],
        advice=["Shuffle inputs and targets together before this line, or split them by class."],
        changes=changes,
    )


def _judges(case: Case, frame: Frame) -> bool:
    """Whether a statement of the program's own fails over how well a model did: an `assert`, or a `raise` under a
    condition."""
    source = case.project.get(frame.file)
    tree = source.tree if source is not None else ast.Module([], [])
    asserted = [one.test for one in around(tree, frame.line, ast.Assert)]
    raises = bool(around(tree, frame.line, ast.Raise))
    tests = asserted or ([one.test for one in around(tree, frame.line, ast.If)][-1:] if raises else [])
    named = [one.id for test in tests for one in walk(test, ast.Name)]
    made = [one.value for name in named for one in assigned(name, scope_at(tree, frame.line))]
    return any(_QUALITY.search(written(one)) for one in [*tests, *made])


def _tells_classes(case: Case, seen: DataSeen) -> bool:
    """Whether the targets are classes to the model that was trained."""
    models = case.principal.all(ModelSeen) if case.principal is not None else []
    return any("crossentropy" in one.loss.lower() for one in models if one.call == seen.call)


def _shuffled(case: Case, file: str, line: int) -> list[Change]:
    source = case.project.get(file)
    calls = calls_at(source, line, "fit") if source is not None else []
    if source is None or len(calls) != 1:
        return []
    call = calls[0]
    x = passed_argument(call, "x") or passed_argument(call, "0")
    y = passed_argument(call, "y") or passed_argument(call, "1")
    if not isinstance(x, ast.Name | ast.Attribute) or not isinstance(y, ast.Name | ast.Attribute):
        return []
    one, other = written(x), written(y)
    order = library_name(source, file, "numpy.random.default_rng")
    lines = [f"order = {order.text}(0).permutation(len({one}))", f"{one}, {other} = {one}[order], {other}[order]"]
    return [
        Change(
            title=f"Shuffle `{one}` and `{other}` before",
            kind="data",
            edits=[*order.needed, *(line_before(source, file, line, text) for text in lines)],
        )
    ]
