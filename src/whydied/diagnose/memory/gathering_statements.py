"""A statement that gathers many things before any of them has a name: a comprehension, `list(map(…))`. Pure.

What it gathers lies on the interpreter's own stack until the statement ends, where no census can see it. What is known
is where the main thread was, and how memory grew meanwhile.
"""

from __future__ import annotations

from typing import NamedTuple

from whydied.diagnose.case import Case
from whydied.diagnose.finding import Location
from whydied.diagnose.memo import once
from whydied.diagnose.memory.call_at_death import ran_out, rss_at
from whydied.diagnose.memory.memory_over_time import anonymous_series, level, lines_at_work, own_peak_bytes
from whydied.records import Frame
from whydied.source.arrays.gathering import GatheringExpression, gathered_at
from whydied.source.assignments import target

INSIDE = 0.5
"""The part of the looks at a statement that must have found the program at work on an item."""
FEWEST_AFTER = 2
"""Looks without an item at the end from which on all items are there."""
LIKE = 0.8
"""Of statements that call one another the innermost counts that grew by this part of what the others did: those around
it may have gathered something before."""
_FRAMES = {"<listcomp>", "<dictcomp>", "<setcomp>", "<genexpr>", "<lambda>"}
"""Frames of an expression: they belong to the statement around them."""

Look = tuple[float, list[Frame]]


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
    """The statement of the last stack that was at work on the items of a container."""
    if case.principal is None or not ran_out(case) or case.uncaught is not None:
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
