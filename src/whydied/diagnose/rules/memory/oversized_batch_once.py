"""One batch was longer or larger than all before it.

## What it detects
A step or call that worked many times and then got an input at least half as large again as the largest before,
and twice the usual, and took most of the memory. In `fit` over a data set whose shapes are not fixed, a step
that took far more than all before it.

## Why it happens
Variable-sized inputs: a single long text, a large picture, a group that was not cut. Padding makes the whole
batch as long as its longest row.

## Evidence
The shapes that steps really got, recorded when they change; the number of the step; the memory before the step
and at the end; for a traced step the peak that its graph predicts for that shape.

## How it is proved
At least five calls at the same line before it, its bytes at least 1.5 times the largest and twice the
median of the earlier ones, and at least 40 % of the memory that the program held above its libraries taken
since the step began. Certain for a call that was seen itself; likely for an element that a generator gave, because the
pipeline reads ahead, and for a step whose shapes nobody told.

## Fix
Cut or split such an input, group inputs of like length, or bound a batch by its elements and not by its rows.

## Known problems
In `fit` over a `tf.data` pipeline the shape of a batch is not seen from Python; only its number is told.

## References
None.
"""

from __future__ import annotations

import re
import statistics
from typing import NamedTuple

from whydied import words
from whydied.diagnose.case import Case, prefix
from whydied.diagnose.finding import Certainty, Culprit, Evidence, Finding
from whydied.diagnose.memory.call_at_death import KERAS, ON_BATCH, Act, act_of, own_bytes, rss_at
from whydied.diagnose.memory.memory_over_time import own_peak_bytes
from whydied.diagnose.memory.step_need import Need, evidence_of, need_for, need_of
from whydied.records import InputsSeen
from whydied.source.calls import argument

TAKES = 0.4
FEWEST_BEFORE = 5
OF_LARGEST = 1.5
OF_USUAL = 2.0
FEWEST_STEPS = 10
RECENT = 8
"""How many elements a pipeline may have read ahead."""


class Odd(NamedTuple):
    """An input out of the ordinary. `number` counts from zero; shape and usual are empty where nobody told. `element`
    is the number of the generator's element, and `rows` how many of them the pipeline puts into a batch, where it
    does."""

    number: int
    shape: list[int]
    size_bytes: int
    usual: list[int]
    usual_bytes: int
    certainty: Certainty
    source: str
    element: int = 0
    rows: int | None = None

    @property
    def batch_shape(self) -> list[int]:
        return [self.rows, *self.shape] if self.rows else self.shape


ROLE = "memory"
YIELDS_TO = ("models-kept",)


def check(case: Case) -> Finding | None:
    act = act_of(case)
    if act is None:
        return None
    odd = _called(case, act) if act.kind not in KERAS else _generated(case, act) or _untold(case, act)
    if odd is None:
        return None
    grown = max(0, own_peak_bytes(case) - rss_at(case, act.began_s))
    need = _needed(case, act, odd)
    word = act.arguments[0] if act.arguments else "0"
    name = argument(case.sources, act.place, act.kind if act.call else act.name, word) or argument(
        case.sources, act.place, act.kind, "0"
    )
    return Finding(
        message=f"{prefix(act.place)}{_what(odd)}; its step took {words.size(grown)}, after "
        f"{words.count(odd.number, 'step')} that fit",
        certainty=odd.certainty,
        location=act.place,
        culprit=Culprit(
            kind="batch",
            name=name,
            shape=list(odd.batch_shape) or None,
            bytes=max(need.peak_bytes, grown) if need else grown,
            value=f"batch {odd.number}",
        ),
        evidence=[
            *_sizes(odd),
            *evidence_of(case, act, need),
        ],
        advice=[
            "Truncate or split inputs as long as this one, or batch inputs of similar length together.",
            "Limit a batch by its number of elements (rows x length), not by its rows.",
        ],
    )


def _what(odd: Odd) -> str:
    if odd.rows:
        return (
            f"element {odd.element:,} of the generator has shape {odd.shape}, others have {odd.usual}: its whole "
            f"batch is padded to {odd.batch_shape}"
        )
    shape = f" of shape {odd.shape}" if odd.shape else ""
    usual = f" (usually {odd.usual})" if odd.usual else ""
    return f"batch {odd.number:,}{shape} is larger than all before it{usual}"


def _needed(case: Case, act: Act, odd: Odd) -> Need | None:
    if not odd.shape:
        return None
    return need_for(case, odd.batch_shape) if act.kind in KERAS else need_of(case)


def _sizes(odd: Odd) -> list[Evidence]:
    if not odd.size_bytes:
        return []
    value = f"{words.size(odd.size_bytes)}, usually {words.size(odd.usual_bytes)}"
    fact = f"size of this {'element' if odd.rows else 'batch'}"
    return [Evidence(fact=fact, value=value, source=odd.source)]


def _called(case: Case, act: Act) -> Odd | None:
    unit = "batch" if act.kind in ON_BATCH else act.kind
    same = [one for one in act.earlier if one.unit == unit and _at(case, one, act)]
    if act.kind in ON_BATCH and same and same[-1].count == act.number:
        same = same[:-1]
    if act.number <= FEWEST_BEFORE or not same or act.grown_bytes < TAKES * own_bytes(case):
        return None
    if not _stands_out(act.size_bytes, same):
        return None
    usual = _usual(same)
    shapes = act.shapes[0] if act.shapes else []
    return Odd(act.number - 1, shapes, act.size_bytes, usual.shapes[0], usual.size_bytes, "certain", "InputsSeen")


def _generated(case: Case, act: Act) -> Odd | None:
    given = [one for one in act.earlier if one.unit == "generator"]
    if case.principal is not None:
        given = [one for one in case.principal.all(InputsSeen) if one.unit == "generator"]
    if not given or act.done + 1 < FEWEST_BEFORE or _grown_now(case, act) < TAKES * own_bytes(case):
        return None
    largest = max(given, key=lambda one: one.size_bytes)
    # The parts of an element are recorded apart.
    given = [one for one in given if one.arguments == largest.arguments]
    earlier = [one for one in given if one.count < largest.count]
    rows = _padded_rows(act, largest)
    recent = abs(given[-1].count - largest.count) <= RECENT * (rows or 1)
    if not earlier or not recent or not _stands_out(largest.size_bytes, earlier):
        return None
    usual = _usual(earlier)
    element = largest.count - 1
    return Odd(
        act.done,
        largest.shapes[0],
        largest.size_bytes,
        usual.shapes[0],
        usual.size_bytes,
        "likely",
        "InputsSeen",
        element,
        rows,
    )


def _padded_rows(act: Act, element: InputsSeen) -> int | None:
    """How many elements of a generator make a batch, where the data set has one axis more than they have."""
    data = act.call.arguments.get("x") if act.call else None
    spec = re.search(r"shape=\(([^)]*)\)", str(data.get("element_spec", ""))) if isinstance(data, dict) else None
    axes = [axis for axis in spec[1].split(",") if axis.strip()] if spec else []
    return act.rows if element.shapes and len(axes) == len(element.shapes[0]) + 1 else None


def _untold(case: Case, act: Act) -> Odd | None:
    """A step of `fit` that took far more than all before, over a data set whose shapes are not fixed."""
    data = act.call.arguments.get("x") if act.call else None
    spec = str(data.get("element_spec", "")) if isinstance(data, dict) else ""
    free = "None," in spec.replace("(None,", "(", 1) or ", None" in spec
    if not free or act.done < FEWEST_STEPS or _grown_now(case, act) < TAKES * own_bytes(case):
        return None
    return Odd(act.done, [], 0, [], 0, "likely", "StepBegan")


def _grown_now(case: Case, act: Act) -> int:
    return max(0, own_peak_bytes(case) - rss_at(case, act.began_s))


def _stands_out(size_bytes: int, earlier: list[InputsSeen]) -> bool:
    sizes = [one.size_bytes for one in earlier]
    return size_bytes >= OF_LARGEST * max(sizes) and size_bytes >= OF_USUAL * statistics.median(sizes)


def _usual(earlier: list[InputsSeen]) -> InputsSeen:
    middle = statistics.median_low(one.size_bytes for one in earlier)
    return next(one for one in earlier if one.size_bytes == middle)


def _at(case: Case, one: InputsSeen, act: Act) -> bool:
    if not one.frames:
        return False
    place = case.locate(one.frames[-1])
    return (place.file, place.line) == (act.place.file, act.place.line)
