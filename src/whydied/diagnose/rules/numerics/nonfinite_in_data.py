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

import ast
from typing import NamedTuple

from whydied.diagnose.case import Case
from whydied.diagnose.finding import Certainty, Culprit, Evidence, Finding, Location
from whydied.diagnose.numerics import step_finding
from whydied.diagnose.numerics.bad_steps import Story, bad_feeds, story
from whydied.diagnose.numerics.bad_value_place import passed_frame, passed_place
from whydied.diagnose.numerics.guarding_changes import as_change
from whydied.diagnose.numerics.nonfinite_end import led_to_end
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
from whydied.records import Frame, Numbers, StepCaptured, WarningIssued
from whydied.source.edits.edit import Change
from whydied.source.edits.runs.op_guards import Guard, guarded, guarded_numpy
from whydied.source.edits.runs.row_edits import finite_rows
from whydied.source.training.data_way import DataWay, RiskyLine, names_passed
from whydied.source.trees import across, enclosing, tree_of
from whydied.texts import numpy_warnings

_WARNING = numpy_warnings.NOT_A_NUMBER.pattern
_DIVISION = "Guard the division against a divisor of zero: `a / np.where(b == 0, 1, b)`."
_MAKER_ADVICE = {
    "divide": _DIVISION,
    "true_divide": _DIVISION,
    "log": "Keep the argument of the logarithm above zero: `np.log(np.maximum(x, 1e-7))`.",
    "log10": "Keep the argument of the logarithm above zero: `np.log10(np.maximum(x, 1e-7))`.",
    "log2": "Keep the argument of the logarithm above zero: `np.log2(np.maximum(x, 1e-7))`.",
    "sqrt": "Keep the argument of the root non-negative: `np.sqrt(np.maximum(x, 0))`.",
    "exp": "Bound the argument: `np.exp(np.minimum(x, 80))`.",
}
"""By what NumPy says that it was doing."""
_SILENCING = frozenset({"errstate", "seterr", "filterwarnings", "simplefilter"})
_MAPPED_ADVICE = "Guard the division against a divisor of zero: `tf.math.divide_no_nan(a, b)`."

_MAPPED_OPS = ("RealDiv", "Log", "Sqrt", "Rsqrt", "Log1p", "Pow")

FEW_COLUMNS = 0.5
"""Bad values in all rows of a batch, but in at most this share of the columns, are a matter of the columns."""

ROLE = "cause"
explains_end = led_to_end


def check(case: Case) -> Finding | None:
    told = story(case)
    if told is None or told.kind != "data":
        return None
    passed = passed_place(case, told)
    maker = maker_of(case, told, passed)
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
        advice=[*([maker.advice] if maker is not None and maker.advice else []), _advice(told)],
        changes=_changes(case, told, maker),
    )


def _changes(case: Case, told: Story, maker: Maker | None) -> list[Change]:
    """The guard of what made the data bad; the bad rows left out before they are passed on."""
    if maker is not None and maker.guard is not None:
        return [as_change(maker.guard)]
    array, _ = data_set_of(told)
    name = array or (source_name(told) if told.step.captured.kind != "traced" else "") or ""
    fed = fed_of(told)
    frame = passed_frame(told.step)
    source = case.sources.get(frame.file) if frame is not None else None
    if source is None or frame is None or fed is None or _by_column(told):
        return []
    edits = finite_rows(source, frame.file, name, len(fed.shape))
    return [Change(title="Leave out the rows that are not finite", kind="data-rows", edits=edits)] if edits else []


def _advice(told: Story) -> str:
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


class Maker(NamedTuple):
    """A line that made data bad. `fact` and `source` are its evidence, `words` end a sentence about the data."""

    location: Location
    words: str
    fact: str
    source: str
    advice: str = ""
    guard: Guard | None = None
    certainty: Certainty = "likely"


def maker_of(case: Case, story: Story, passed: Location | None) -> Maker | None:
    """The line that made the data of the step bad, where one can be found: one at which NumPy warned of such values, or
    that writes one by name, or a function that a data set maps, on the way of the data as far as the source shows."""
    way = DataWay(case.sources, _first_names(case, story, passed))
    return _warned(case, story, way) or _written(case, way) or _mapped(case, way) or _silenced(case, way)


def _warned(case: Case, story: Story, way: DataWay) -> Maker | None:
    """The last line on the way of the data at which NumPy warned of such values, before the step."""
    numbers = _numbers(story)
    times = [at_s for at_s, step in story.step.process.timed(StepCaptured) if step == story.step.captured]
    found: list[Maker] = []
    related: list[Maker] = []
    for at_s, warned in story.step.process.timed(WarningIssued):
        match = _WARNING.search(warned.message)
        file = _source_file(case, warned.file)
        if match is None or file is None or (times and at_s > times[0]) or not _agrees(match[1], numbers):
            continue
        place = _place(case, file, warned.line)
        maker = Maker(place, f"which `{match[2]}` produced here", f"NumPy warned: {warned.message}", "WarningIssued")
        guard = guarded_numpy(case.sources[file], file, warned.line, match[2])
        maker = maker._replace(advice=_MAKER_ADVICE.get(match[2], ""), guard=guard)
        found.append(maker)
        if way.holds(file, place.line):
            related.append(maker)
    chosen = related or (found if len(found) == 1 else [])
    return chosen[-1] if chosen else None


def _agrees(kind: str, numbers: Numbers | None) -> bool:
    """Whether a sort of warning leaves the sort of values that are there. An infinite one can become NaN later."""
    if numbers is None or kind != "invalid value":
        return True
    return numbers.nan > 0


def _written(case: Case, way: DataWay) -> Maker | None:
    """The only statement on the way of the data that writes a NaN or an infinite value by name."""
    found = way.nonfinite_literals()
    if len(found) != 1:
        return None
    file, line = found.pop()
    return Maker(_place(case, file, line), "which this line assigns", "the statement assigns such a value", "source")


def _mapped(case: Case, way: DataWay) -> Maker | None:
    """The only line of the functions that a data set maps over its elements that can leave its domain; of several of
    one function the first, with which the others compute."""
    found = way.risky_maps()
    only = _only(case, found, "which a function of the data set produces here", _MAPPED_ADVICE)
    functions = {(one.file, enclosing(tree_of(case.sources, one.file), one.line)) for one in found}
    if only is not None or len(functions) != 1:
        return only
    first = min(found, key=lambda one: one.line)
    words = "which a function of the data set produces, here or in what follows from it"
    at_first = _only(case, [one for one in found if one.line == first.line], words, _MAPPED_ADVICE)
    fact = "the first op there that can produce one"
    return at_first._replace(fact=fact, certainty="possible") if at_first is not None else None


def _silenced(case: Case, way: DataWay) -> Maker | None:
    """The only line on the way that can leave its domain, in a program that keeps NumPy from warning: otherwise the
    warning would have been recorded."""
    if not any(node.attr in _SILENCING for _, node in across(case.sources, ast.Attribute)):
        return None
    return _only(case, way.risky_lines(), "which this line produces", _DIVISION)


def _only(case: Case, found: list[RiskyLine], words: str, division: str) -> Maker | None:
    places = {(place.file, place.line): place for one in found for place in [_place(case, one.file, one.line)]}
    if len(places) != 1:
        return None
    one = found[0]
    source = case.sources[one.file]
    guards = [
        guard for op in _MAPPED_OPS if (guard := guarded(source, one.file, one.line, op)) is not None and guard.edits
    ]
    others = [guard for guard in guards if "divi" not in guard.title] if len(guards) == 1 else []
    return Maker(
        next(iter(places.values())),
        words,
        "the only op there that can produce one",
        "source",
        division if one.divides and not others else f"{others[0].title}." if others else "",
        guards[0] if len(guards) == 1 else None,
    )


def _first_names(case: Case, story: Story, passed: Location | None) -> set[str]:
    """What the data is called at the step: the array that its rows were found in, and what the line is given."""
    fed = fed_of(story)
    names = {data_set_of(story)[0], fed.name if fed else ""}
    return names | (names_passed(case.sources, passed) if passed is not None else set())


def _place(case: Case, file: str, line: int) -> Location:
    function = enclosing(tree_of(case.sources, file), line)
    return case.locate(Frame(file=file, line=line, function=function, user=True))


def _source_file(case: Case, file: str) -> str | None:
    """The user's file that a warning names, which may name it by a relative path."""
    sources = case.recording.sources
    if file in sources:
        return file
    bare = file.removeprefix("./")
    return next((known for known in sources if bare and known.endswith(f"/{bare}")), None)
