"""An encoder or a scaler gets data that it was not fitted on: other columns, labels that it never saw, or it was never
fitted at all.

## What it detects
An error in `transform`, `inverse_transform` or `predict` of a scikit-learn object, where the data have another number
of columns than those that it was fitted on, hold labels that it does not know, or where it was not fitted. The same of
a class of the program's own whose arithmetic fails on one column.

## Why it happens
A scaler that was fitted on a table of nine columns is asked to turn one predicted column back; an encoder is fitted on
the training part, and the rest has labels of its own; `fit` was called on another object, or in another run.

## Evidence
What the object learnt (columns, labels), recorded at the exception, against the data that it was given; the line that
fits it, from the source.

## How it is proved
The two numbers were seen and differ: certain. That unknown labels come from the part that it was fitted on is read from
the source: likely.

## Fix
An object of its own for the column that is turned back, of the number with which the source takes the targets; `fit` on
all labels; `fit` before `transform`.

## Known problems
Of several lines that fit objects of the same name the last one above is named.
"""

from __future__ import annotations

import ast
import re
from typing import NamedTuple

from whydied.diagnose.case import Case, prefix
from whydied.diagnose.data.failing_data import Failing, fact, failing, words_at
from whydied.diagnose.data.own_estimators import own_estimator
from whydied.diagnose.errors.usage import said
from whydied.diagnose.finding import Certainty, Culprit, Finding, Location
from whydied.records import DataLooked
from whydied.source.calls import callee
from whydied.source.edits.edit import Change
from whydied.source.edits.shapes.scaler_edits import (
    Fitted,
    Turned,
    column_alone,
    is_one_column,
    own_scaler,
    target_column,
)
from whydied.source.origins.trails import root_name
from whydied.source.trees import across, last_name, written
from whydied.texts import estimators

ROLE = "explanation"
_USING = frozenset({"transform", "inverse_transform", "predict"})
_FITTING = frozenset({"fit", "fit_transform", "partial_fit", "adapt"})


class _Asked(NamedTuple):
    """A call of a method of an estimator in the failing statement."""

    call: ast.Call
    owner: ast.expr
    known: DataLooked

    @property
    def method(self) -> str:
        return callee(self.call)

    @property
    def given(self) -> ast.expr | None:
        return self.call.args[0] if self.call.args else None


class _Fit(NamedTuple):
    """The line that fits it, and what it is fitted on, as that is written there; the call itself, and its file."""

    place: Location
    on: str
    file: str
    call: ast.Call


def check(case: Case) -> Finding | None:
    found = failing(case, "ValueError", "NotFittedError", "KeyError", "InvalidArgumentError")
    if found is None:
        return None
    asked = _asked(found)
    if asked is None:
        return _of_own_class(case, found)
    fit = _fit(found, asked)
    if asked.known.fitted is False and found.link.type == "NotFittedError":
        return _never(found, asked)
    columns = _columns(found, asked)
    if columns is not None and asked.known.features not in (None, columns):
        return _other_columns(found, asked, fit, columns)
    unseen = estimators.UNSEEN_LABELS.search(found.link.message) or estimators.UNKNOWN_CATEGORIES.search(
        found.link.message
    )
    return _unseen(found, asked, fit, unseen["labels"]) if unseen is not None else None


def _of_own_class(case: Case, found: Failing) -> Finding | None:
    own = own_estimator(case, found)
    if own is None or not own.call.args:
        return None
    known = DataLooked(text=written(own.owner), type=own.type, features=own.features, fitted=True)
    asked = _Asked(own.call, own.owner, known)
    fit = _fit(own.found, asked, own.fits)
    return _other_columns(own.found, asked, fit, own.columns) if fit is not None else None


def _asked(found: Failing) -> _Asked | None:
    for node in found.expressions:
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr in _USING:
            known = found.looked(written(node.func.value))
            if known is not None and known.fitted is not None:
                return _Asked(node, node.func.value, known)
    return None


def _columns(found: Failing, asked: _Asked) -> int | None:
    text = written(asked.given) if asked.given is not None else ""
    one = found.looked(text) or found.operand(text)
    if one is None and asked.given is not None:
        met = estimators.NOT_AS_WIDE.search(found.link.message)
        width, wanted = (re.findall(r"\d+", met[name])[-1] for name in ("given", "wanted")) if met else ("", "")
        if is_one_column(asked.given) or (width == "1" and wanted == str(asked.known.features)):
            return 1
    return one.shape[-1] if one is not None and one.shape is not None and len(one.shape) == 2 else None


def _fit(found: Failing, asked: _Asked, fitting: frozenset[str] = _FITTING) -> _Fit | None:
    """The last line that fits an object of that name. Where it fits whatever a function is given, the line that gives
    it."""
    names = {last_name(asked.owner), root_name(asked.owner)}
    steps = found.trails.trail(found.place.file, found.place.line, asked.owner)
    names |= {step.name for step in steps} | {last_name(step.value) for step in steps}
    calls = [
        (file, call)
        for file, call in across(found.sources, ast.Call)
        if isinstance(call.func, ast.Attribute) and call.func.attr in fitting and call.args
        if last_name(call.func.value) in names - {"", "self"}
    ]
    before = [one for one in calls if one[0] != found.place.file or one[1].lineno < found.place.line] or calls
    if not before:
        return None
    file, call = before[-1]
    own_file, line, on = file, call.lineno, written(call.args[0])
    for step in found.trails.trail(file, call.lineno, call.args[0]):
        # What is turned back was fitted on the right data, and needs another scaler beside it.
        if not step.is_passed or asked.method.startswith("inverse"):
            break
        file, line, on = step.file, step.line, written(step.value)
    return _Fit(found.located(file, line), on, own_file, call)


def _words(asked: _Asked) -> str:
    return f"`{written(asked.owner)}` ({asked.known.type.rpartition('.')[2]})"


def _finding(
    found: Failing,
    asked: _Asked,
    fit: _Fit | None,
    words: str,
    advice: list[str],
    certainty: Certainty,
    changes: list[Change] | None = None,
) -> Finding:
    place = fit.place if fit is not None else found.place
    known = [fact("fitted on", f"`{fit.on}`, {words_at(fit.place.file, fit.place.line)}", "source")] if fit else []
    if asked.known.classes:
        known.append(fact("labels that it knows", ", ".join(asked.known.classes)))
    return Finding(
        message=f"{prefix(place)}{words}",
        certainty=certainty,
        location=place,
        culprit=Culprit(kind="expression", name=written(asked.owner)),
        evidence=[said(found.link), *known],
        advice=advice,
        changes=changes or [],
    )


def _at(found: Failing, fit: _Fit | None) -> str:
    same = fit is None or (fit.place.file, fit.place.line) == (found.place.file, found.place.line)
    return "" if same else f" on {words_at(found.place.file, found.place.line)}"


def _other_columns(found: Failing, asked: _Asked, fit: _Fit | None, columns: int) -> Finding:
    given = written(asked.given) if asked.given is not None else "the data"
    were = f"{asked.known.features} column{'s' if asked.known.features != 1 else ''}"
    are = f"{columns} column{'s' if columns != 1 else ''}"
    words = f"{_words(asked)} is fitted on {were}, and `{asked.method}`{_at(found, fit)} gives it `{given}` with {are}"
    if asked.method.startswith("inverse"):
        kind = asked.known.type.rpartition(".")[2]
        advice = [
            f"Fit a {kind} of its own on the {are} that `{given}` has, where {_words(asked)} is fitted, and turn "
            f"`{given}` back with that."
        ]
    else:
        advice = [f"Give it the same {were} in the same order, or fit it on the {are} of `{given}`."]
    changes = _turned_back(found, asked, fit) if columns == 1 and asked.method.startswith("inverse") else []
    return _finding(found, asked, fit, words, advice, "certain", changes)


def _turned_back(found: Failing, asked: _Asked, fit: _Fit | None) -> list[Change]:
    """One column turned back by a scaler of its own; where that cannot be seen from there, with what this one learnt of
    the column."""
    sources, kind = found.sources, asked.known.type.rpartition(".")[2]
    turned = Turned(found.place.file, asked.call, asked.owner)
    if fit is None:
        return []
    column = target_column(sources, turned, Fitted(fit.file, fit.call), asked.known.features or 0)
    if column is None:
        return []
    own = own_scaler(sources, turned, Fitted(fit.file, fit.call), column)
    title = "Give {column} of `{on}` a scaler of its own, and turn `{given}` back with that"
    given, which = written(asked.call.args[0]), "the last column" if column == -1 else f"column {column}"
    changes = [
        Change(
            title=title.format(column=which, on=written(fit.call.args[0]), given=given), kind="statement", edits=edits
        )
        for _, edits in own
    ]
    if not own and "sklearn" in asked.known.type:
        title = f"Turn `{given}` back with what `{written(asked.owner)}` learnt of {which}"
        alone = column_alone(sources, turned, kind, column)
        changes += [Change(title=title, kind="statement", edits=edits) for edits in alone]
    return changes


def _unseen(found: Failing, asked: _Asked, fit: _Fit | None, labels: str) -> Finding:
    words = f"{_words(asked)} does not know {labels.strip()[:80]}, which{_at(found, fit)} has"
    if fit is not None:
        words = f"{_words(asked)} is fitted on `{fit.on}`, without {labels.strip()[:80]}, which is in the data"
        words += _at(found, fit)
    advice = ["Fit it on the whole column, before the data are split."]
    if "OrdinalEncoder" in asked.known.type or "OneHotEncoder" in asked.known.type:
        advice = ['Fit it on the whole column, or make it with `handle_unknown="ignore"`.']
    if "nan" in labels:
        advice = ["Fill the missing values in both parts first (`fillna`), then fit it on the whole column."]
    return _finding(found, asked, fit, words, advice, "likely")


def _never(found: Failing, asked: _Asked) -> Finding:
    words = f"{_words(asked)} was never fitted, and `{asked.method}` needs what `fit` learns"
    given = written(asked.given) if asked.given is not None else "x"
    advice = [f"Call `{written(asked.owner)}.fit(…)` with the training data before this line."]
    if asked.method == "transform":
        advice = [f"Write `{written(asked.owner)}.fit_transform({given})` for the training data, or fit it before."]
    return _finding(found, asked, None, words, advice, "certain")
