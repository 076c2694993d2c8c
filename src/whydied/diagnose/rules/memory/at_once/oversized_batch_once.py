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
"""

from __future__ import annotations

import re
import statistics
from typing import NamedTuple

from whydied import words
from whydied.diagnose.case import Case, prefix
from whydied.diagnose.finding import Certainty, Culprit, Evidence, Finding
from whydied.diagnose.memory.call_at_death import KERAS, ON_BATCH, RunningCall, own_bytes, rss_at, running_call
from whydied.diagnose.memory.cutting_changes import cutting_changes
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
    does. `largest` is the shape of the largest before it."""

    number: int
    shape: list[int]
    size_bytes: int
    usual: list[int]
    usual_bytes: int
    certainty: Certainty
    source: str
    element: int = 0
    rows: int | None = None
    largest: tuple[int, ...] = ()

    @property
    def batch_shape(self) -> list[int]:
        return [self.rows, *self.shape] if self.rows else self.shape


ROLE = "memory"
AT_ONCE = True
YIELDS_TO = ("models-kept",)


def check(case: Case) -> Finding | None:
    running = running_call(case)
    if running is None:
        return None
    odd = _called(case, running) if running.kind not in KERAS else _generated(case, running) or _untold(case, running)
    if odd is None:
        return None
    grown = _grown_now(case, running)
    need = _needed(case, running, odd)
    word = running.arguments[0] if running.arguments else "0"
    name = argument(case.sources, running.place, running.kind if running.call else running.name, word) or argument(
        case.sources, running.place, running.kind, "0"
    )
    return Finding(
        message=f"{prefix(running.place)}{_what(odd)}; its step took {words.size(grown)}, after "
        f"{words.count(odd.number, 'step')} that fit",
        certainty=odd.certainty,
        location=running.place,
        culprit=Culprit(
            kind="batch",
            name=name,
            shape=list(odd.batch_shape) or None,
            bytes=max(need.peak_bytes, grown) if need else grown,
            value=f"batch {odd.number}",
        ),
        evidence=[
            *_sizes(odd),
            *evidence_of(case, running, need),
        ],
        advice=[
            "Truncate or split inputs as long as this one, or batch inputs of similar length together.",
            "Limit a batch by its number of elements (rows x length), not by its rows.",
        ],
        changes=cutting_changes(case, running, odd.shape, odd.largest, name or "", odd.rows) if odd.shape else [],
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


def _needed(case: Case, running: RunningCall, odd: Odd) -> Need | None:
    if not odd.shape:
        return None
    return need_for(case, odd.batch_shape) if running.kind in KERAS else need_of(case)


def _sizes(odd: Odd) -> list[Evidence]:
    if not odd.size_bytes:
        return []
    value = f"{words.size(odd.size_bytes)}, usually {words.size(odd.usual_bytes)}"
    fact = f"size of this {'element' if odd.rows else 'batch'}"
    return [Evidence(fact=fact, value=value, source=odd.source)]


def _called(case: Case, running: RunningCall) -> Odd | None:
    unit = "batch" if running.kind in ON_BATCH else running.kind
    same = [one for one in running.earlier if one.unit == unit and _at(case, one, running)]
    if running.kind in ON_BATCH and same and same[-1].count == running.number:
        same = same[:-1]
    if running.number <= FEWEST_BEFORE or not same or running.grown_bytes < TAKES * own_bytes(case):
        return None
    if not _stands_out(running.size_bytes, same):
        return None
    usual = _usual(same)
    shapes = running.shapes[0] if running.shapes else []
    return Odd(
        running.number - 1,
        shapes,
        running.size_bytes,
        usual.shapes[0],
        usual.size_bytes,
        "certain",
        "InputsSeen",
        largest=_largest(same),
    )


def _generated(case: Case, running: RunningCall) -> Odd | None:
    given = [one for one in case.records.all(InputsSeen) if one.unit == "generator"]
    if not given or running.done + 1 < FEWEST_BEFORE or _grown_now(case, running) < TAKES * own_bytes(case):
        return None
    largest = max(given, key=lambda one: one.size_bytes)
    # The parts of an element are recorded apart.
    given = [one for one in given if one.arguments == largest.arguments]
    earlier = [one for one in given if one.count < largest.count]
    rows = _padded_rows(running, largest)
    recent = abs(given[-1].count - largest.count) <= RECENT * (rows or 1)
    if not earlier or not recent or not _stands_out(largest.size_bytes, earlier):
        return None
    usual = _usual(earlier)
    element = largest.count - 1
    return Odd(
        running.done,
        largest.shapes[0],
        largest.size_bytes,
        usual.shapes[0],
        usual.size_bytes,
        "likely",
        "InputsSeen",
        element,
        rows,
        _largest(earlier),
    )


def _padded_rows(running: RunningCall, element: InputsSeen) -> int | None:
    """How many elements of a generator make a batch, where the data set has one axis more than they have."""
    data = running.call.arguments.get("x") if running.call else None
    spec = re.search(r"shape=\(([^)]*)\)", str(data.get("element_spec", ""))) if isinstance(data, dict) else None
    axes = [axis for axis in spec[1].split(",") if axis.strip()] if spec else []
    return running.rows if element.shapes and len(axes) == len(element.shapes[0]) + 1 else None


def _untold(case: Case, running: RunningCall) -> Odd | None:
    """A step of `fit` that took far more than all before, over a data set whose shapes are not fixed."""
    data = running.call.arguments.get("x") if running.call else None
    spec = str(data.get("element_spec", "")) if isinstance(data, dict) else ""
    if not _is_open(spec) or running.done < FEWEST_STEPS or _grown_now(case, running) < TAKES * own_bytes(case):
        return None
    return Odd(running.done, [], 0, [], 0, "likely", "StepBegan")


def _is_open(spec: str) -> bool:
    """Whether a part of an element has an extent that is not fixed besides the number of rows of its batch."""
    shapes = re.findall(r"shape=\(([^)]*)\)", spec)
    return any("None" in axis for shape in shapes for axis in shape.split(",")[1:])


def _grown_now(case: Case, running: RunningCall) -> int:
    return max(0, own_peak_bytes(case) - rss_at(case, running.began_s))


def _stands_out(size_bytes: int, earlier: list[InputsSeen]) -> bool:
    sizes = [one.size_bytes for one in earlier]
    return size_bytes >= OF_LARGEST * max(sizes) and size_bytes >= OF_USUAL * statistics.median(sizes)


def _largest(earlier: list[InputsSeen]) -> tuple[int, ...]:
    """The largest extents of the inputs before."""
    shapes = [one.shapes[0] for one in earlier if len(one.shapes[0]) == len(earlier[-1].shapes[0])]
    return tuple(max(extents) for extents in zip(*shapes, strict=True))


def _usual(earlier: list[InputsSeen]) -> InputsSeen:
    middle = statistics.median_low(one.size_bytes for one in earlier)
    return next(one for one in earlier if one.size_bytes == middle)


def _at(case: Case, one: InputsSeen, running: RunningCall) -> bool:
    if not one.frames:
        return False
    place = case.locate(one.frames[-1])
    return (place.file, place.line) == (running.place.file, running.place.line)
