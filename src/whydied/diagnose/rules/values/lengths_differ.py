"""Data that belong together have different numbers of rows, and one line changed the number of one of them.

## What it detects
A refusal of two or more arrays, lists or tables of one call because their numbers of rows differ, where the values that
one of them was made of still had as many rows as the other.

## Why it happens
A `reshape` to a width that is not that of the data makes more rows of it; a filter, `dropna` or a slice was applied to
one of the two; a grid of labels was not flattened as the data were. Of a figure: the epochs of an axis were counted for
a training that `EarlyStopping` then ended before.

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
import re

from whydied.diagnose.case import Case, prefix
from whydied.diagnose.data.counted_axes import DRAWING, counted_axis
from whydied.diagnose.data.failing_data import Failing, fact, failing, words_at
from whydied.diagnose.errors.usage import said
from whydied.diagnose.finding import Culprit, Finding
from whydied.source.calls import callee
from whydied.source.origins.trails import Step
from whydied.source.trees import walk, written
from whydied.texts import estimators
from whydied.texts.entry import any_of

ROLE = "explanation"
YIELDS_TO = ("target-mismatch", "shape-mismatch")
_REFUSED = any_of(estimators.LENGTHS_DIFFER, estimators.FIRST_DIMENSIONS_DIFFER)


def check(case: Case) -> Finding | None:
    found = failing(case, "ValueError")
    if found is None:
        return None
    column = estimators.COLUMN_LENGTH_DIFFERS.search(found.link.message)
    if column is not None:
        return _column(found, int(column["given"]), int(column["rows"]))
    calls = [one for one in found.expressions if isinstance(one, ast.Call)]
    for call in calls:
        drawn = _counted(found, call)
        if drawn is not None:
            return drawn
    if not _REFUSED.search(found.link.message):
        return None
    for call in calls:
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


def _counted(found: Failing, call: ast.Call) -> Finding | None:
    """Numbers that were counted for an axis of a figure, beside data of another length."""
    if len(call.args) < 2 or callee(call) not in DRAWING:
        return None
    node, other = call.args[:2]
    wanted = _rows(found, written(other))
    rows = _rows(found, written(node)) or _other_length(found, wanted)
    counted = counted_axis(found, call) if rows and wanted and rows != wanted else None
    if counted is None:
        return None
    of = f" of `{written(counted.made)}`" if written(counted.made) != written(node) else ""
    place = found.located(counted.file, counted.line)
    return Finding(
        message=f"{prefix(place)}`{written(node)}` has the {rows:,} numbers{of}, and `{written(other)}` on "
        f"{words_at(found.place.file, found.place.line)} has {wanted:,}",
        certainty="likely",
        location=place,
        culprit=Culprit(kind="expression", name=written(node)),
        evidence=[said(found.link)],
        advice=[f"Write `{counted.right}`."],
        changes=counted.changes,
    )


def _other_length(found: Failing, length: int | None) -> int | None:
    """The length that the exception quotes beside this one."""
    quoted = {int(one) for one in re.findall(r"\((\d+),\)", found.link.message)}
    others = quoted - {length}
    return others.pop() if length in quoted and len(others) == 1 else None


def _changed(found: Failing, node: ast.expr, rows: int, other: str, wanted: int) -> Finding | None:
    """The line that made another number of rows of a value that had as many as the other."""
    steps = found.trails.trail(found.place.file, found.place.line, node)
    for at, step in enumerate(steps):
        for older in [one.id for one in walk(step.value, ast.Name)]:
            if _rows(found, older) == wanted and older != written(node):
                return _finding(found, node, rows, other, wanted, _changing(steps[: at + 1]), older)
    return None


def _column(found: Failing, given: int, rows: int) -> Finding | None:
    """A column that is set to another number of values than the table has rows."""
    for node in found.expressions:
        if (
            isinstance(node, ast.Subscript)
            and isinstance(node.ctx, ast.Store)
            and (_rows(found, written(node.value)) == rows)
        ):
            table = written(node.value)
            many = given - rows
            words = f"{abs(many):,} too {'many' if many > 0 else 'few'}"
            advice = f"Take as many values as `{table}` has rows"
            advice += f": leave out the last {many:,}." if 0 < many < rows else "."
            return Finding(
                message=f"{prefix(found.place)}`{written(node)}` gets {given:,} values, and `{table}` has {rows:,} "
                f"rows: {words}",
                certainty="certain",
                location=found.place,
                culprit=Culprit(kind="expression", name=written(node)),
                evidence=[said(found.link)],
                advice=[advice],
            )
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
