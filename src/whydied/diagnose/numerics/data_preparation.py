"""Where the data of a step was made bad: in the code that prepared it. Pure.

Three things tell: a warning that NumPy gave at a line of the user's, of the kind that leaves such values behind; a
statement that writes such a value into the data by name; and, where the program keeps NumPy from warning, the only
statement that can leave its domain. All must lie on the way of the data, as far as the source shows it.
"""

from __future__ import annotations

import ast
from typing import NamedTuple

from whydied.diagnose.case import Case
from whydied.diagnose.finding import Location
from whydied.diagnose.numerics.bad_steps import Story, bad_feeds
from whydied.diagnose.numerics.symptom import data_set_of, fed_of
from whydied.records import Frame, Numbers, StepCaptured, WarningIssued
from whydied.source.training.data_way import DataWay, RiskyLine, names_passed
from whydied.source.trees import across, enclosing, tree_of
from whydied.texts import numpy_warnings

_WARNING = numpy_warnings.NOT_A_NUMBER.pattern
_DIVISION = "Guard the division against a divisor of zero: `a / np.where(b == 0, 1, b)`."
_ADVICE = {
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


class Maker(NamedTuple):
    """A line that made data bad. `fact` and `source` are its evidence, `words` end a sentence about the data."""

    location: Location
    words: str
    fact: str
    source: str
    advice: str = ""


def maker_of(case: Case, story: Story, passed: Location | None) -> Maker | None:
    """The line that made the data of the step bad, where one can be found."""
    way = DataWay(case.sources, _first_names(case, story, passed))
    return _warned(case, story, way) or _written(case, way) or _mapped(case, way) or _silenced(case, way)


def _numbers(story: Story) -> Numbers | None:
    fed = fed_of(story)
    if fed is not None and fed.numbers is not None and fed.numbers.nonfinite:
        return fed.numbers
    bad = bad_feeds(story.step)
    return bad[0].numbers if bad else None


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
        maker = maker._replace(advice=_ADVICE.get(match[2], ""))
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
    """The only line of the functions that a data set maps over its elements that can leave its domain."""
    return _only(case, way.risky_maps(), "which a function of the data set produces here", _MAPPED_ADVICE)


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
    return Maker(
        next(iter(places.values())),
        words,
        "the only op there that can produce one",
        "source",
        division if found[0].divides else "",
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
