"""One statement gathers more than there is memory for, before any of it is used.

## What it detects
A program that was killed in a comprehension (`[load(path) for path in paths]`), `list(map(…))` or the like, during
which memory grew.

## Why it happens
A whole data set is loaded into a list, often to make an array of it (`np.array([…])`), which then takes as much again.

## Evidence
The line that the main thread was seen at, look after look, with the lines of the functions that it called for an item;
the memory before the statement and at the end.

## How it is proved
Likely where the statement took at least half of what the program held above its libraries, the program was at work
on an item at half of the looks (or the statement does nothing else), and objects that have a name explain less than
40 % of the memory: what is gathered has none before the statement ends.

## Fix
Load batch by batch: a generator, `tf.data`, `keras.utils.PyDataset`. Where all of it is needed, make the array once, of
the smallest type, and fill its rows.

## Known problems
What is gathered cannot be counted. A function that leaks for each item looks the same.
"""

from __future__ import annotations

from typing import NamedTuple

from whydied import words
from whydied.diagnose.case import Case, prefix
from whydied.diagnose.finding import Culprit, Evidence, Finding, Location
from whydied.diagnose.memo import once
from whydied.diagnose.memory.bounding_changes import change_of
from whydied.diagnose.memory.call_at_death import own_bytes, ran_out, rss_at
from whydied.diagnose.memory.growth_with_events import named_explain
from whydied.diagnose.memory.kept_objects import SMALLEST_BYTES, line_evidence
from whydied.diagnose.memory.memory_over_time import (
    anonymous_series,
    growth_by_line,
    level,
    lines_at_work,
    own_peak_bytes,
)
from whydied.records import Frame
from whydied.source.arrays.gathering import GatheringExpression, gathered_at
from whydied.source.assignments import target
from whydied.source.calls import registering_near
from whydied.source.edits.edit import Change
from whydied.source.edits.memory.growth_edits import first_items, one_by_one

INSIDE = 0.5
"""The part of the looks at a statement that must have found the program at work on an item."""
FEWEST_AFTER = 2
"""Looks without an item at the end from which on all items are there."""
SOME = (1000, 100)
"""How many items are tried."""
LIKE = 0.8
"""Of statements that call one another the innermost counts that grew by this part of what the others did: those around
it may have gathered something before."""
_FRAMES = {"<listcomp>", "<dictcomp>", "<setcomp>", "<genexpr>", "<lambda>"}
"""Frames of an expression: they belong to the statement around them."""

Look = tuple[float, list[Frame]]

TAKES = 0.5
NAMED_SHARE = 0.4

ROLE = "memory"
AT_ONCE = True
YIELDS_TO = ("prediction-too-large",)


def check(case: Case) -> Finding | None:
    found = gathering_of(case)
    if found is None or found.grown_bytes < max(SMALLEST_BYTES, TAKES * own_bytes(case)):
        return None
    if named_explain(case, NAMED_SHARE) or _leaks(case):
        return None
    for_ = f" for `{found.name}`" if found.name else ""
    return Finding(
        message=f"{prefix(found.place)}the {found.kind} that this statement builds{for_} took {_amount(found)}"
        + case.limit_words
        + ("" if found.complete_bytes else " and was not complete"),
        certainty="likely",
        location=found.place,
        culprit=Culprit(kind=found.kind, name=found.name, bytes=found.grown_bytes),
        evidence=[
            Evidence(
                fact=f"memory grew while running {found.place.spelled}",
                value=f"by {words.size(found.grown_bytes)} in {words.duration(found.seconds)}",
                source="LineSampled, MachineSampled",
            ),
            *line_evidence(case),
        ],
        advice=_advice(found),
        changes=_changes(case, found),
    )


def _changes(case: Case, found: Gathering) -> list[Change]:
    """One item at a time where that is enough, else only some: how many there are is not known."""
    place = found.place
    source = case.sources.get(place.file)
    if source is None:
        return []
    lazily = one_by_one(source, case.sources, place)
    parts = [(most, first_items(source, case.sources, place, most)) for most in SOME]
    return [
        *change_of("Make one item at a time: all is gone through once", "release", lazily, "exact"),
        *(one for most, edits in parts for one in change_of(f"Gather only the first {most:,}", "bound", edits)),
    ]


def _amount(found: Gathering) -> str:
    if not found.complete_bytes:
        return words.size(found.grown_bytes)
    both = words.size(found.grown_bytes)
    return f"{words.size(found.complete_bytes)}, and {both} together with what `{found.within}` makes of it"


def _leaks(case: Case) -> bool:
    """Whether a function that TensorFlow keeps is made in the function whose line grew: that is another cause."""
    grown = [(line.location, registering_near(case.sources, line.location)) for line in growth_by_line(case)[:3]]
    return any(made is not None and made.function == place.function for place, made in grown)


def _advice(found: Gathering) -> list[str]:
    advice = ["Load batch by batch instead of all at once: a generator, `tf.data` or `keras.utils.PyDataset`."]
    if found.within:
        advice.append(
            f"`{found.within}` of the whole {found.kind} takes as much again: if you need all of it, create the "
            "array once (`np.empty(shape, dtype)`) and fill its rows."
        )
    return [*advice, "Use the smallest type: images as uint8, tables as float32 instead of float64."]


class Gathering(NamedTuple):
    """A statement that was gathering at the end. `kind` is the container, `name` what it is assigned to, `within` the
    function that gets the container before anything else does (`np.array`), `seconds` for how long it had run.
    `complete_bytes` is what was gathered, where that was done and `within` at work on it, else 0."""

    place: Location
    kind: str
    name: str | None
    within: str | None
    grown_bytes: int
    seconds: float
    complete_bytes: int = 0


@once
def gathering_of(case: Case) -> Gathering | None:
    """The statement of the last stack that was at work on the items of a container. What it gathers lies on the
    interpreter's own stack until the statement ends, where no census can see it."""
    if not ran_out(case) or case.uncaught is not None:
        return None
    looks = [(at, mine) for at, line in lines_at_work(case) if (mine := [frame for frame in line.frames if frame.user])]
    places = [case.locate(frame) for frame in (looks[-1][1] if looks else ()) if frame.function not in _FRAMES]
    found = [
        one
        for place in reversed(places)
        if (what := gathered_at(case.sources, place)) and (one := _grown(case, looks, place, what))
    ]
    most = max((one.grown_bytes for one in found), default=0)
    return next((one for one in found if one.grown_bytes >= LIKE * most), None)


def _grown(case: Case, looks: list[Look], place: Location, what: GatheringExpression) -> Gathering | None:
    """What memory grew by from when the statement was first seen without a break, where it was at work on items."""
    seen: list[tuple[float, bool]] = []
    for at, stack in reversed(looks):
        depth = _depth(case, stack, place)
        if depth is None:
            break
        seen.append((at, depth < len(stack) - 1))
    busy = [at for at, inside in seen if inside]
    if not seen or (len(busy) < INSIDE * len(seen) and not what.is_all):
        return None
    last, began = seen[0][0], seen[-1][0]
    heap = anonymous_series(case)
    grown = own_peak_bytes(case) - rss_at(case, began - 1e-4)
    if heap:
        # The kernel takes pages of libraries back when memory is short.
        grown = max(grown, max(size for _, size in heap) - round(level(heap, began)))
    done = what.within is not None and len(seen) > FEWEST_AFTER and not any(inside for _, inside in seen[:FEWEST_AFTER])
    gathered = rss_at(case, busy[0]) - rss_at(case, began - 1e-4) if done and busy else 0
    return Gathering(
        place, what.kind, target(case.sources, place), what.within, max(0, grown), last - began, max(0, gathered)
    )


def _depth(case: Case, stack: list[Frame], place: Location) -> int | None:
    """The position of a statement in a stack."""
    for index, frame in enumerate(stack):
        if frame.file == place.file and frame.function == place.function and case.locate(frame).line == place.line:
            return index
    return None
