"""Data that belong together have different numbers of rows, and one line changed the number of one of them.

## What it detects
A refusal of two or more arrays, lists or tables of one call because their numbers of rows differ, where the values that
one of them was made of still had as many rows as the other.

## Why it happens
A `reshape` to a width that is not that of the data makes more rows of it; a filter, `dropna` or a slice was applied to
one of the two; a grid of labels was not flattened as the data were.

## Evidence
The lengths of both and of the values that they were made of, recorded at the exception; the lines between, from the
source.

## How it is proved
The lengths were seen, and the line is the one between two values whose lengths differ: likely.

## Fix
The same change for both, or none.

## Known problems
Where no older value has the other's length, the failing line alone is known, and nothing is said.
"""

from __future__ import annotations

import ast

from whydied.diagnose.case import Case, prefix
from whydied.diagnose.data.failing_data import Failing, fact, failing, words_at
from whydied.diagnose.errors.usage import said
from whydied.diagnose.finding import Culprit, Finding
from whydied.source.calls import callee
from whydied.source.trails import Step
from whydied.source.trees import walk, written
from whydied.texts import estimators

ROLE = "explanation"
YIELDS_TO = ("target-mismatch", "shape-mismatch")


def check(case: Case) -> Finding | None:
    found = failing(case, "ValueError")
    if found is None or estimators.LENGTHS_DIFFER.search(found.link.message) is None:
        return None
    for call in [one for one in found.expressions if isinstance(one, ast.Call)]:
        given = [*call.args, *(one.value for one in call.keywords)]
        rows = {written(one): length for one in given if (length := _rows(found, written(one))) is not None}
        names = [one for one in given if written(one) in rows]
        for one in names:
            for other in names:
                if rows[written(one)] != rows[written(other)]:
                    finding = _changed(found, one, rows[written(one)], written(other), rows[written(other)])
                    if finding is not None:
                        return finding
    return None


def _rows(found: Failing, text: str) -> int | None:
    one = found.looked(text) or found.operand(text)
    if one is None:
        return None
    return one.shape[0] if one.shape else one.length


def _changed(found: Failing, node: ast.expr, rows: int, other: str, wanted: int) -> Finding | None:
    """The line that made another number of rows of a value that had as many as the other."""
    steps = found.trails.trail(found.place.file, found.place.line, node)
    for at, step in enumerate(steps):
        for older in [one.id for one in walk(step.value, ast.Name)]:
            if _rows(found, older) == wanted and older != written(node):
                return _finding(found, node, rows, other, wanted, _changing(steps[: at + 1]), older)
    return None


def _changing(steps: list[Step]) -> Step:
    """Of the lines between, the one that reshapes or filters; else the last."""
    for step in steps:
        calls = {callee(call) for call in walk(step.value, ast.Call)}
        if calls & {"reshape", "dropna", "drop_duplicates", "repeat"} or isinstance(step.value, ast.Subscript):
            return step
    return steps[-1]


def _finding(found: Failing, node: ast.expr, rows: int, other: str, wanted: int, step: Step, older: str) -> Finding:
    place = found.located(step.file, step.line)
    text = written(node)
    reshaped = [call for call in walk(step.value, ast.Call) if callee(call) == "reshape"]
    advice = f"Let `{text}` keep the {wanted:,} rows of `{older}`."
    if reshaped and reshaped[0].args:
        advice = (
            f"Keep the {wanted:,} rows and let NumPy find the width: "
            f"`{written(reshaped[0].func)}({'len(' + older + ')'}, -1)`."
        )
    at = words_at(found.place.file, found.place.line)
    return Finding(
        message=f"{prefix(place)}this line makes {rows:,} rows of the {wanted:,} of `{older}`, and `{other}` on {at} "
        f"has {wanted:,}",
        certainty="likely",
        location=place,
        culprit=Culprit(kind="expression", name=text),
        evidence=[said(found.link), fact("rows", f"`{text}`: {rows:,}, `{other}`: {wanted:,}, `{older}`: {wanted:,}")],
        advice=[advice],
    )
