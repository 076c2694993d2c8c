"""Windows of a table hold one of its columns, and are reshaped as if they held all.

## What it detects
NumPy refusing to reshape an array into windows of several features (`(n, 6, 3)`) where it has one value in the place of
each of those, and the subscript behind it that takes a single column: `table[i:i + 6, 0]`.

## Why it happens
A function that cuts a series into windows was written for one column, and is used for a table of several.

## Evidence
The size of the array and the shape that was asked for, from the exception; the subscript, followed through the
program's own functions and through what was appended to a list.

## How it is proved
The sizes were seen. That all columns are meant is an inference: likely; the change is tried in a copy of the process.

## Fix
`:` in the place of the number.

## Known problems
A column that is chosen by its name, or before the windows are cut, is not found.
"""

from __future__ import annotations

import ast
from math import prod

from whydied.diagnose.case import Case, prefix
from whydied.diagnose.data.failing_data import Failing, failing, words_at
from whydied.diagnose.errors.framework_error import shape_words
from whydied.diagnose.errors.usage import said
from whydied.diagnose.finding import Culprit, Finding
from whydied.source.arrays.taken_columns import TakenColumn, taken_columns
from whydied.source.calls import callee
from whydied.source.edits.edit import Change, over, written_in
from whydied.texts import shapes_and_types

ROLE = "explanation"
_MODULES = ("np", "numpy", "tf", "ops", "K")


def check(case: Case) -> Finding | None:
    found = failing(case, "ValueError")
    told = shapes_and_types.NOT_RESHAPED.search(found.link.message) if found is not None else None
    if found is None or told is None:
        return None
    asked = [int(one) for one in told["shape"].split(",") if one]
    for subject in _reshaped(found):
        features = _features(found, subject, int(told["size"]), asked)
        taken = taken_columns(found.sources, found.trails, found.place.file, subject) if features else []
        if taken:
            return _finding(found, subject, taken, features, asked)
    return None


def _reshaped(found: Failing) -> list[ast.expr]:
    """What the calls of `reshape` in the failing statement are given."""
    subjects: list[ast.expr] = []
    for call in [one for one in found.expressions if isinstance(one, ast.Call) and callee(one) == "reshape"]:
        on = call.func.value if isinstance(call.func, ast.Attribute) else None
        is_function = on is None or (isinstance(on, ast.Name) and on.id in _MODULES)
        subjects += call.args[:1] if is_function or on is None else [on]
    return subjects


def _features(found: Failing, subject: ast.expr, size: int, asked: list[int]) -> int:
    """How many times more values the shape needs than the array has; 0 where that number is no size of the shape."""
    operand = found.operand(ast.unparse(subject))
    given = (operand.shape if operand is not None else None) or []
    times, rest = divmod(prod(asked), size) if size else (0, 1)
    if rest == 0 and times > 1 and times in asked:
        return times
    # A first size of -1 is not told.
    return asked[-1] if given[1:] and given[1:] == asked[:-1] and asked[-1] > 1 else 0


def _finding(found: Failing, subject: ast.expr, taken: list[TakenColumn], features: int, asked: list[int]) -> Finding:
    first = taken[0]
    place = found.located(first.file, first.node.lineno)
    text = written_in(found.sources[first.file], first.node)
    return Finding(
        message=(
            f"{prefix(place)}`{text}` takes column {first.column} alone, and "
            f"{words_at(found.place.file, found.place.line)} reshapes `{ast.unparse(subject)}` to "
            f"{shape_words([*asked])}, {features} times as many values"
        ),
        certainty="likely",
        location=place,
        culprit=Culprit(kind="expression", name=text),
        evidence=[said(found.link)],
        advice=[f"Take all columns there: `{_all_columns(found, first)}`."],
        changes=[
            Change(
                title=f"Write `{_all_columns(found, one)}`",
                kind="expression",
                edits=[over(found.sources[one.file], one.file, one.part, ":")],
            )
            for one in taken
            if found.is_editable(one.file)
        ],
    )


def _all_columns(found: Failing, one: TakenColumn) -> str:
    """The subscript with `:` in the place of the number."""
    source = found.sources[one.file]
    parts = one.node.slice.elts if isinstance(one.node.slice, ast.Tuple) else []
    shown = [":" if part is one.part else written_in(source, part) for part in parts]
    return f"{written_in(source, one.node.value)}[{', '.join(shown)}]"
