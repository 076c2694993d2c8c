"""The data held values that are not finite, and a training step was given them.

## What it detects
A step whose loss, gradients, updates or weights turned NaN or infinite because rows or columns of its batch were so
before any op of the model saw them.

## Why it happens
Missing values in a file that are read as NaN, a column that is divided by its own deviation while it is constant, the
logarithm of a zero, a sentinel value. ReLU can hide a NaN of the input from the loss, so that only weights show it.

## Evidence
The batch of the captured step, with its NaN and infinite values counted; the replay of the step, which names rows and
columns and tries it with other rows in their place; the rows of the array that they come from, found by comparison of
whole rows. A warning of NumPy at a line of the program ("invalid value encountered in divide") before the step, whose
sort agrees with the values, or the only statement on the way of the data that writes such a value, gives the line that
made the data bad; else the line is the one that passed it.

## How it is proved
Certain where the step was run again and gave the same. Likely by the capture alone, and where the line that made the
data bad was found by a warning or in the source: the warning is about the line, not about these very values.

## Fix
Find the rows, and fix or drop them; guard a division by a deviation (`np.where(std == 0, 1, std)`).

## Known problems
A pipeline that changes rows after the array keeps their places in the array from being found.
"""

from __future__ import annotations

from typing import TypeVar

import msgspec

from whydied.diagnose.case import Case, line_words
from whydied.diagnose.finding import Culprit, Evidence, Finding, Location
from whydied.diagnose.numerics import step_finding
from whydied.diagnose.numerics.bad_makers import Maker, maker_of
from whydied.diagnose.numerics.bad_steps import Story, bad_feeds, story
from whydied.diagnose.numerics.bad_value_place import passed_frame, passed_place
from whydied.diagnose.numerics.data_changes import finite_data
from whydied.diagnose.numerics.guarding_changes import as_change
from whydied.diagnose.numerics.nonfinite_end import came_before_exception, led_to_end
from whydied.diagnose.numerics.symptom import (
    columns_words,
    data_set_of,
    fed_of,
    rows_culprit,
    rows_words,
    source_name,
    value_word,
    written_name,
)
from whydied.records import Frame, Numbers
from whydied.source.edits.edit import Change
from whydied.source.edits.runs.row_edits import finite_rows
from whydied.source.nan_masks import masked_nan, nan_mask
from whydied.source.training.data_way import names_passed
from whydied.source.trees import written

FEW_COLUMNS = 0.5
"""Bad values in all rows of a batch, but in at most this share of the columns, are a matter of the columns."""

MOST_ROWS = 0.5
FEW_ROWS = 4
"""Of a batch of fewer rows nothing is said about most of them."""

T = TypeVar("T")

ROLE = "cause"
explains_end = led_to_end
came_first = came_before_exception


def check(case: Case) -> Finding | None:
    told = story(case)
    if told is None or told.kind != "data":
        return None
    passed = passed_place(case, told)
    names = _first_names(case, told, passed)
    maker = maker_of(case, told.step, _numbers(told), names, whole_columns=_by_column(told))
    certainty = maker.certainty if maker is not None else None
    first = [Evidence(fact=maker.fact, value=maker.location.source or "", source=maker.source)] if maker else []
    return step_finding.finding(
        case,
        told,
        _words(told) + (f", {maker.words}" if maker else ""),
        place=maker.location if maker else passed,
        culprit=_culprit(told),
        first=first,
        certainty=certainty,
        advice=_in_order(told, [maker.advice] if maker is not None and maker.advice else [], [_advice(case, told)]),
        changes=_changes(case, told, maker),
    )


def _in_most_rows(told: Story) -> bool:
    """Whether leaving the bad rows out would leave out most of them: then they are not what is wrong with the data."""
    blame = told.blame
    return blame is not None and blame.batch_rows >= FEW_ROWS and blame.row_count > MOST_ROWS * blame.batch_rows


def _instead_of_gaps(case: Case, told: Story) -> list[Change]:
    """A number in the place of what is missing: behind the program's own mask, else before the data are passed on. A
    target cannot be made up."""
    mask = nan_mask(case.project)
    if _is_target(told) or masked_nan(case.project) is not None:
        return []
    if mask is not None:
        title = f"Put 0 in the place of what the mask on {line_words(_at(mask.file, mask.line))} leaves out"
        return [Change(title=title, kind="data-rows", edits=[mask.edit])]
    name = data_set_of(told)[0]
    return finite_data(case, told, name, 1, columns=True) if name else []


def _at(file: str, line: int) -> Frame:
    return Frame(file=file, line=line, function="", user=True)


def _for_gaps(case: Case, told: Story) -> str:
    blame = told.blame
    most = f"{blame.row_count} of the {blame.batch_rows} rows of the batch" if blame is not None else "most rows"
    mask, layer = nan_mask(case.project), masked_nan(case.project)
    if layer is not None:
        at = line_words(_at(layer[0], layer[1].lineno))
        return (
            f"`{written(layer[1])}` on {at} masks nothing, as NaN does not equal NaN: fill what is missing with a "
            "number that the data do not have, such as -1, and mask that."
        )
    if mask is not None and not _is_target(told):
        return (
            f"The mask on {line_words(_at(mask.file, mask.line))} only multiplies these values, and 0 * NaN is NaN: "
            f"put a number in their place below it, `{mask.code}`."
        )
    return (
        f"{most[0].upper()}{most[1:]} have such values, too many to drop: fix what produces them, or, where NaN "
        "stands for what is missing, put a number in its place before it is passed on."
    )


def _changes(case: Case, told: Story, maker: Maker | None) -> list[Change]:
    """The guard of what made the data bad, which puts other numbers in the place of the bad ones; the bad rows left out
    before they are passed on."""
    if maker is not None and maker.guard is not None:
        guarded = [msgspec.structs.replace(as_change(maker.guard), harm="changed result")]
        return _in_order(told, guarded, _left_out(case, told) if _is_target(told) else [])
    return _left_out(case, told)


def _in_order(told: Story, guarded: list[T], left_out: list[T]) -> list[T]:
    """A target that a guard makes up is learned like a true one: there leaving the rows out comes first."""
    return [*left_out, *guarded] if _is_target(told) else [*guarded, *left_out]


def _is_target(told: Story) -> bool:
    fed = fed_of(told)
    return fed is not None and fed.name.partition("[")[0] == "y"


def _left_out(case: Case, told: Story) -> list[Change]:
    if _in_most_rows(told) and not _by_column(told):
        return _instead_of_gaps(case, told)
    array, _ = data_set_of(told)
    name = array or (source_name(told) if told.step.captured.kind != "traced" else "") or ""
    fed = fed_of(told)
    frame = passed_frame(told.step)
    source = case.sources.get(frame.file) if frame is not None else None
    if source is None or frame is None or fed is None:
        return []
    columns = _by_column(told)
    edits = finite_rows(source, frame.file, name, len(fed.shape)) if not columns else []
    if edits:
        return [Change(title="Leave out the rows that are not finite", kind="data-rows", edits=edits)]
    return finite_data(case, told, name, len(fed.shape), columns=columns)


def _advice(case: Case, told: Story) -> str:
    if _in_most_rows(told) and not _by_column(told):
        return _for_gaps(case, told)
    noun = "columns" if _by_column(told) else "rows"
    array, _ = data_set_of(told)
    name = array or (source_name(told) if told.step.captured.kind == "eager" else "")
    # Only what is known to be an array: a data set or a sequence has no `isfinite`.
    how = f"`np.isfinite({name})` finds them all" if name else "`np.isfinite(batch).all()` for each batch finds them"
    return f"Fix or drop these {noun}, or fix what produces them: {how}."


def _words(told: Story) -> str:
    blame = told.blame
    numbers = _numbers(told)
    name = source_name(told) or "the data"
    value = {"NaN": "NaN", "infinite": "an infinite value"}[value_word(numbers)]
    count = f" ({numbers.nonfinite:,} of {numbers.count:,} values of the batch)" if numbers else ""
    if blame is None or not blame.rows:
        return f"{name} already held {value}{count}"
    if blame.batch_rows == 1 and not columns_words(blame):
        return f"{name} held {value}{count}"
    rows, columns = rows_words(told), columns_words(blame)
    where = f"{columns} of {rows}" if columns and _by_column(told) else rows + (f", {columns}" if columns else "")
    of = "" if name in where else f" of {name}"
    return f"{where}{of} held {value}{count}"


def _numbers(told: Story) -> Numbers | None:
    fed = fed_of(told)
    if fed is not None and fed.numbers is not None and fed.numbers.nonfinite:
        return fed.numbers
    bad = bad_feeds(told.step)
    return bad[0].numbers if bad else None


def _by_column(told: Story) -> bool:
    blame, fed = told.blame, fed_of(told)
    if blame is None or not blame.columns or fed is None or len(fed.shape) < 2:
        return False
    whole = blame.batch_rows > 1 and max(blame.row_count, len(blame.rows)) >= blame.batch_rows
    return whole and len(blame.columns) <= FEW_COLUMNS * fed.shape[-1]


def _culprit(told: Story) -> Culprit:
    if told.blame is not None:
        return rows_culprit(told, "column" if _by_column(told) else "row")
    bad = bad_feeds(told.step)
    fed = bad[0] if bad else fed_of(told)
    return Culprit(
        kind="row",
        name=written_name(told, fed.data_set or fed.name) if fed else None,
        shape=list(fed.shape) if fed else None,
        dtype=fed.dtype if fed else None,
    )


def _first_names(case: Case, story: Story, passed: Location | None) -> set[str]:
    """What the data is called at the step: the array that its rows were found in, and what the line is given."""
    fed = fed_of(story)
    names = {data_set_of(story)[0], fed.name if fed else ""}
    return names | (names_passed(case.sources, passed) if passed is not None else set())
