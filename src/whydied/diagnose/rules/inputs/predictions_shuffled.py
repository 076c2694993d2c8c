"""Predictions come in another order than the labels that they are compared with: their generator shuffles.

## What it detects
A check of the program's own (`assert`, `raise`) over values that come of `predict`, where that is given a generator of
Keras (`flow`, `flow_from_directory`, `image_dataset_from_directory`) that was not told to keep the order.

## Why it happens
These generators shuffle unless `shuffle=False` is given, also those for the test. `evaluate` is right all the same: it
takes each label together with its row; `predict` gives the rows in the order in which they came.

## Evidence
The way from the failing check to a `predict`, and from what that is given to the call that makes the generator.

## How it is proved
That the order is another one follows from the call; that the check failed of it is an inference: likely. The change is
tried in a copy of the process.

## Fix
`shuffle=False` for the generator that is predicted.

## Known problems
A generator that a training uses, too, is left alone. A program that checks nothing fails nothing.

## References
Keras documentation: ImageDataGenerator.flow; image_dataset_from_directory.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import NamedTuple

from whydied.diagnose.case import Case, line_words, prefix
from whydied.diagnose.data.failing_data import Failing, failing
from whydied.diagnose.data.own_checks import is_own_check, judged
from whydied.diagnose.errors.usage import said
from whydied.diagnose.finding import Culprit, Evidence, Finding
from whydied.source.calls import callee, passed_argument
from whydied.source.edits.call_edits import add_argument
from whydied.source.edits.edit import Change, over
from whydied.source.trees import across, written

ROLE = "explanation"
_PREDICTING = ("predict", "predict_generator")
_TRAINING = ("fit", "fit_generator", "train_on_batch")
_GIVING = ("flow", "flow_from_directory", "flow_from_dataframe", "image_dataset_from_directory")


class _Shuffled(NamedTuple):
    """A generator that shuffles, and the call that is given it."""

    file: str
    made: ast.Call
    used_in: str
    used: ast.Call


def check(case: Case) -> Finding | None:
    found = failing(case)
    if found is None or not is_own_check(found):
        return None
    if not any(isinstance(one.node, ast.Call) and callee(one.node) in _PREDICTING for one in judged(found)):
        return None
    trained = {id(one.made) for one in _shuffled(found, _TRAINING)}
    seen = {id(one.made): one for one in _shuffled(found, _PREDICTING) if id(one.made) not in trained}
    return _finding(found, next(iter(seen.values()))) if len(seen) == 1 else None


def _shuffled(found: Failing, methods: tuple[str, ...]) -> Iterator[_Shuffled]:
    for file, call in across(found.sources, ast.Call):
        given = passed_argument(call, "x") or passed_argument(call, "0")
        if callee(call) not in methods or given is None:
            continue
        # Of what a function gives as one of several, only that one.
        steps = found.trails.trail(file, given.lineno, given)
        for at, node in [(file, given), *((step.file, step.value) for step in steps)]:
            if isinstance(node, ast.Call) and callee(node) in _GIVING and not _keeps_order(node):
                yield _Shuffled(at, node, file, call)


def _keeps_order(call: ast.Call) -> bool:
    order = next((word.value for word in call.keywords if word.arg == "shuffle"), None)
    # What is not written out may be False.
    return any(word.arg is None for word in call.keywords) or (
        order is not None and not (isinstance(order, ast.Constant) and order.value is True)
    )


def _finding(found: Failing, one: _Shuffled) -> Finding:
    place = found.located(one.file, one.made.lineno)
    used = line_words(found.located(one.used_in, one.used.lineno))
    source = found.sources[one.file]
    order = next((word for word in one.made.keywords if word.arg == "shuffle"), None)
    edit = (
        over(source, one.file, order.value, "False")
        if order is not None
        else add_argument(source, one.file, one.made, "shuffle=False")
    )
    title = f"Pass `shuffle=False` to `{callee(one.made)}`"
    return Finding(
        message=f"{prefix(place)}`{written(one.made.func)}` shuffles the rows, so `{callee(one.used)}` on {used} gives "
        "them in another order than the labels stand in",
        certainty="likely",
        location=place,
        culprit=Culprit(kind="expression", name=written(one.made.func)),
        evidence=[said(found.link), Evidence(fact="predicted", value=f"{written(one.used)}, {used}", source="source")],
        advice=[f"{title}, so that predictions and labels have one order."],
        changes=[Change(title=title, kind="argument", edits=[edit])] if found.is_editable(one.file) else [],
    )
