"""Which line made values bad that a step was given: data of its batch, weights that the program set. Pure.

A line is told where a warning of NumPy names it, or where it is the only one on the way of the values that can make
such values. A warning is about a line, not about these very values, so the line is likely at best.
"""

from __future__ import annotations

import ast
from typing import NamedTuple

from whydied.diagnose.case import Case
from whydied.diagnose.finding import Certainty, Location
from whydied.diagnose.numerics.bad_steps import Step
from whydied.read.recording import ProcessView
from whydied.records import Frame, Numbers, StepCaptured, WarningIssued
from whydied.source.edits.import_edits import name_of
from whydied.source.edits.runs.op_guards import Guard, guarded, guarded_numpy
from whydied.source.edits.runs.row_edits import filled
from whydied.source.training.data_way import DataWay, RiskyLine
from whydied.source.trees import across, enclosing, tree_of
from whydied.texts import numpy_warnings

_WARNING = numpy_warnings.NOT_A_NUMBER.pattern
_DIVISION = (
    "Guard the division against a divisor of zero: `a / np.where(b == 0, 1, b)`; beside one that is computed, such as "
    "a deviation, a small number (`a / (b + 1e-8)`)."
)
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
_UNMATCHED = "the statement keeps rows that the other table does not have"
_INVALID = "invalid value"
_SILENCING = frozenset({"errstate", "seterr", "filterwarnings", "simplefilter"})
_MAPPED_ADVICE = "Guard the division against a divisor of zero: `tf.math.divide_no_nan(a, b)`."

_MAPPED_OPS = ("RealDiv", "Log", "Sqrt", "Rsqrt", "Log1p", "Pow")


class Maker(NamedTuple):
    """A line that made data bad. `fact` and `source` are its evidence, `words` end a sentence about the data."""

    location: Location
    words: str
    fact: str
    source: str
    advice: str = ""
    guard: Guard | None = None
    certainty: Certainty = "likely"


class _Warned(NamedTuple):
    """`kind` is what NumPy calls it: "divide by zero", "invalid value", "overflow"."""

    maker: Maker
    kind: str


def maker_of(
    case: Case, step: Step, numbers: Numbers | None, names: set[str], *, whole_columns: bool = False
) -> Maker | None:
    """The line that made values bad which a step was given under some names, where one can be found: one at which NumPy
    warned of such values, or that writes one by name, or a function that a data set maps, on the way of the values as
    far as the source shows. `whole_columns` says that they are bad in every row: gaps of a file are not."""
    way = DataWay(case.sources, names)
    found = _warned(case, step, numbers, way) or _written(case, way) or _mapped(case, way)
    return found or _silenced(case, way, whole_columns)


def _warned(case: Case, step: Step, numbers: Numbers | None, way: DataWay) -> Maker | None:
    times = [at_s for at_s, captured in step.process.timed(StepCaptured) if captured == step.captured]
    return warned_of(case, step.process, way, numbers=numbers, before_s=times[0] if times else None)


def warned_of(
    case: Case, process: ProcessView, way: DataWay, *, numbers: Numbers | None = None, before_s: float | None = None
) -> Maker | None:
    """The last line on the way of the data at which NumPy warned of such values, before a time."""
    found: list[_Warned] = []
    related: list[_Warned] = []
    for at_s, warned in process.timed(WarningIssued):
        match = _WARNING.search(warned.message)
        file = _source_file(case, warned.file)
        late = before_s is not None and at_s > before_s
        if match is None or file is None or late or not _agrees(match[1], numbers):
            continue
        place = _place(case, file, warned.line)
        maker = Maker(place, f"which `{match[2]}` produced here", f"NumPy warned: {warned.message}", "WarningIssued")
        guard = guarded_numpy(case.sources[file], file, warned.line, match[2])
        maker = maker._replace(advice=_MAKER_ADVICE.get(match[2], ""), guard=guard)
        found.append(_Warned(maker, match[1]))
        if way.holds(file, place.line):
            related.append(found[-1])
    chosen = related or (found if len(found) == 1 else [])
    return _first_of(chosen) if chosen else None


def _first_of(warned: list[_Warned]) -> Maker:
    """The last warning; where it is about an infinity that the same function had made just before, the one about
    that."""
    last = warned[-1]
    for one in reversed(warned[:-1]):
        near = (one.maker.location.file, one.maker.location.function) == (
            last.maker.location.file,
            last.maker.location.function,
        )
        if last.kind != _INVALID or one.kind == _INVALID or not near:
            break
        last = one
    return last.maker


def _agrees(kind: str, numbers: Numbers | None) -> bool:
    """Whether a sort of warning leaves the sort of values that are there. An infinite one can become NaN later."""
    if numbers is None or kind != _INVALID:
        return True
    return numbers.nan > 0


def _written(case: Case, way: DataWay) -> Maker | None:
    """The only statement on the way of the data that writes a NaN or an infinite value by name."""
    found = way.nonfinite_literals()
    if len(found) != 1:
        return None
    file, line = found.pop()
    place = _place(case, file, line)
    edits = filled(case.sources[file], file, line)
    if edits:
        guard = Guard("Fill what has no match with 0", edits)
        advice = "Fill or drop what it leaves: `.fillna(0)` or `.dropna()` behind it."
        return Maker(place, "which this line leaves in rows without a match", _UNMATCHED, "source", advice, guard)
    return Maker(place, "which this line assigns", "the statement assigns such a value", "source")


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


def _silenced(case: Case, way: DataWay, whole_columns: bool) -> Maker | None:
    """The only line on the way that can leave its domain, in a program that keeps NumPy from warning: otherwise the
    warning would have been recorded. pandas does so too; there a gap of the file is the more likely reason, unless
    whole columns are bad."""
    quiet = any(node.attr in _SILENCING for _, node in across(case.sources, ast.Attribute))
    tables = whole_columns and any(name_of(source, "pandas") for source in case.sources.values())
    if not quiet and not tables:
        return None
    found = _only(case, way.risky_lines(), "which this line produces", _DIVISION)
    if found is None or found.guard is None:
        return found
    # Arrays of NumPy go through here: what a function of TensorFlow gives has not their methods.
    at = found.location
    return found._replace(guard=guarded_numpy(case.sources[at.file], at.file, at.line, "divide") or found.guard)


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
