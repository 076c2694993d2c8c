"""A constant of the program is NaN or infinite, and a step computed with it.

## What it detects
A step whose first bad value is a constant of its graph (`np.inf` as a mask or a default, a scale that was computed as
one divided by zero, a class weight that is NaN) or a value that the step took from outside: what a layer has kept of
the data that it was adapted to, a number that the program computed.

## Why it happens
A number that was worked out beforehand in Python or NumPy becomes a constant of the traced step, and nothing looks at
it again. In float16 every number beyond 65,504 is infinite, also -1e9 in a mask. Infinite constants are right in some
places (masks before a softmax, the start of a minimum), and wrong where they meet zero or each other.

## Evidence
The captured step was run again, op by op: the way back from the bad value ends at a constant. A warning of NumPy at a
line on the way of the constant gives the line that made it bad.

## How it is proved
Certain where the replay gave the bad values again with finite data and weights. Likely where the line was found by a
warning.

## Fix
Use a large finite number (`-1e9` for a mask, in half precision the least number of the type), or fix what computes
the constant.
"""

from __future__ import annotations

from whydied.diagnose.case import Case
from whydied.diagnose.finding import Culprit, Evidence, Finding, Location
from whydied.diagnose.numerics import step_finding
from whydied.diagnose.numerics.bad_makers import Maker, maker_of
from whydied.diagnose.numerics.bad_steps import Story, story
from whydied.diagnose.numerics.bad_value_place import op_place, passed_place
from whydied.diagnose.numerics.guarding_changes import as_change, finite_constant, half_mask
from whydied.diagnose.numerics.nonfinite_end import came_before_exception, led_to_end
from whydied.diagnose.numerics.symptom import op_words
from whydied.records import FoundOp
from whydied.source.edits.edit import Change
from whydied.source.edits.runs.row_edits import adapted_to_finite
from whydied.source.numbers import number_beyond
from whydied.source.training.data_way import names_passed

LARGEST_HALF = 65504.0

ROLE = "cause"
explains_end = led_to_end
came_first = came_before_exception


def check(case: Case) -> Finding | None:
    told = story(case)
    if told is None or told.kind != "constant" or told.blame is None:
        return None
    op = told.again.first if told.again else None
    value = told.blame.values[0] if told.blame.values else "not finite"
    at = f", used in {op_words(op)}" if op is not None and op.op != "Const" else ""
    place = op_place(case, told.step, op.line) if op is not None else passed_place(case, told)
    name = _given_name(told)
    written = number_beyond(place.source, LARGEST_HALF) if place is not None and _is_half(op) else None
    words = f"{written} is {value} in float16, whose largest number is 65,504" if written else _is(name, value)
    maker = _maker(case, told, place) if written is None else None
    if maker is not None:
        return _made(case, told, maker, f"{words}{at}", value)
    return step_finding.finding(
        case,
        told,
        f"{words}{at}",
        place=place,
        culprit=Culprit(kind="constant", name=told.blame.name or None, value=value),
        advice=[_advice(name, value, half=_is_half(op))],
        changes=half_mask(case, place, written) if _is_half(op) else _changes(case, told, place, name, value),
    )


def _maker(case: Case, told: Story, place: Location | None) -> Maker | None:
    """The line at which NumPy warned of such values, on the way of what the op's statement is given."""
    names = names_passed(case.sources, place) if place is not None else set()
    found = maker_of(case, told.step, None, names) if names else None
    return found if found is not None and found.source == "WarningIssued" else None


def _made(case: Case, told: Story, maker: Maker, words: str, value: str) -> Finding:
    return step_finding.finding(
        case,
        told,
        f"{words}, {maker.words}",
        place=maker.location,
        first=[Evidence(fact=maker.fact, value=maker.location.source or "", source=maker.source)],
        culprit=Culprit(kind="constant", name=told.blame.name if told.blame is not None else None, value=value),
        certainty="likely",
        advice=[maker.advice] if maker.advice else [_advice("", value, half=False)],
        changes=[as_change(maker.guard)] if maker.guard is not None else [],
    )


def _changes(case: Case, told: Story, place: Location | None, name: str, value: str) -> list[Change]:
    """The data that a layer was adapted to without its gaps; else a finite number."""
    capture = told.step.taken.capture
    ranks = [len(one.shape) for one in capture.fed if one.name == name] if capture is not None else []
    source = case.sources.get(place.file) if place is not None else None
    if value == "nan" and "." in name and ranks and source is not None and place is not None:
        edit = adapted_to_finite(source, place.file, ranks[0])
        title = "Adapt the layer to the rows that are finite"
        return [Change(title=title, kind="data-rows", edits=[edit])] if edit is not None else []
    return finite_constant(case, place, value)


def _given_name(told: Story) -> str:
    """What the program calls the value, where it is one that the step took from outside: `normalization.mean`."""
    capture, blame = told.step.taken.capture, told.blame
    known = {value.name for value in capture.fed} if capture else set()
    return blame.name if blame is not None and blame.name in known and "/" not in blame.name else ""


def _is(name: str, value: str) -> str:
    shown = "NaN" if value == "nan" else value
    return f"the value {name} used by the step is {shown}" if name else f"a constant in the step is {shown}"


def _is_half(op: FoundOp | None) -> bool:
    given = [one.numbers for one in op.inputs if one.origin == "constant" and one.numbers is not None] if op else []
    return any(numbers.dtype == "float16" and numbers.nonfinite for numbers in given)


def _advice(name: str, value: str, *, half: bool) -> str:
    if half:
        return "Use the smallest number of the type instead (`x.dtype.min`, -6e4 in a mask), or mask in float32."
    if value == "nan" and "." in name:
        return f"Fix what computes {name}: `adapt` on data that contains NaN gives NaN statistics."
    if value == "nan":
        return f"Fix what computes {name or 'the constant'}."
    return "Use a large finite number instead (-1e9 in a mask), or fix what computes the constant."
