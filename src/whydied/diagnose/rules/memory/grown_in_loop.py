"""One array, tensor, table or text is made larger and larger under the same name.

## What it detects
A variable or attribute that holds one thing which was larger at each look, until memory ran out.

## Why it happens
`rows = np.append(rows, batch)`, `np.concatenate`, `tf.concat`, `pandas.concat`, `text += line` or `array.resize(…)`
in a loop. All but the last make a new one beside the old, so that for a moment both are there, and all that was there
is copied at each turn.

## Evidence
The sizes of that thing in the censuses, one after another, and the statement that makes it of itself.

## How it is proved
It was larger in each census that saw it, by at least half in all. Certain where the source has a statement that makes
it of itself, and it takes at least 60 % of what the program held above its libraries, counted twice where that
statement makes a copy; likely from 25 % on, or without such a statement where it grew at four looks or more. Below
48 MiB nothing is said. A loop that joins something to it is enough, and likely, where an earlier census saw nothing of
it. A variable whose shape was left open is not measured: it is likely where a statement joins something to it and named
objects explain less than 40 % of the memory. The size at the end is carried on from the last census, by the growth of
the process's own pages, or at the rate of the last two censuses where copies come and go.

## Fix
Collect the parts in a list and join them once; where the whole does not fit, write each part to a file.

## Known problems
A thing that is larger each time for another reason, such as ever larger files that are loaded into the same variable,
looks the same where the source has a statement that could make it grow.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise
from typing import NamedTuple

from whydied import words
from whydied.diagnose.case import Case, prefix
from whydied.diagnose.finding import Certainty, Culprit, Evidence, Finding, Location
from whydied.diagnose.memory.bounding_changes import PART, change_of
from whydied.diagnose.memory.growth_with_events import NAMED_ROOTS, named_explain
from whydied.diagnose.memory.kept_objects import (
    EXPLAINS,
    SMALLEST_BYTES,
    SMALLEST_SHARE,
    Key,
    by_holder,
    line_evidence,
    of_own_bytes,
    own_bytes,
)
from whydied.diagnose.memory.memory_over_time import (
    LEAK_BYTES,
    anonymous_series,
    baseline_bytes,
    censuses,
    own_growth_by_line,
    own_pages_since,
    own_peak_bytes,
)
from whydied.records import CensusTaken, Holder, ObjectGroup, VariablesMade
from whydied.source.assignments import target
from whydied.source.edits.edit import Change
from whydied.source.edits.memory.growth_edits import last_part
from whydied.source.enlargements import Enlargement, enlargements

KINDS = ("array", "tensor", "variable", "text")
MOST_AT_ONCE = 2
"""The old one and the new one."""
FEWEST_SIZES = 2
FEWEST_ALONE = 4
"""Sizes that are needed where no statement makes the thing of itself."""
GROWS = 1.5
LONGEST_CARRIED = 0.25
"""The size is carried on to the end of the run by at most this part of it."""
UNNAMED = 0.4
"""Where named objects explain this part of the memory, a variable that was not measured is not blamed."""
_TABLES = ("DataFrame", "Series")


class _Grown(NamedTuple):
    """A thing with its sizes at the looks that found a new one, and the last census that saw it."""

    holder: Holder
    group: ObjectGroup
    sizes: list[tuple[float, int]]
    seen_s: float
    census: CensusTaken

    @property
    def size_bytes(self) -> int:
        return self.sizes[-1][1]


ROLE = "memory"
YIELDS_TO = ("figures-kept",)


def check(case: Case) -> Finding | None:
    found = max(_growing(case), key=lambda one: one[0].size_bytes, default=None)
    if found is None:
        return _resized(case)
    thing, enlargement = found
    taken = thing.size_bytes * (2 if enlargement is None or enlargement.copies else 1)
    share = taken / own_bytes(case, thing.census)
    if thing.size_bytes < SMALLEST_BYTES or share < SMALLEST_SHARE:
        return None
    sure = enlargement is not None and share >= EXPLAINS and thing.sizes[0][1] > 0
    return _finding(case, thing, enlargement, "certain" if sure else "likely")


def _growing(case: Case) -> Iterator[tuple[_Grown, Enlargement | None]]:
    """What was larger at each look, with the statement that makes it so; without one at more looks. A loop that joins
    something to it is enough where there was nothing of it at an earlier look."""
    taken = censuses(case)
    for one in _seen(case):
        enlargement = _enlargement(case, one)
        if (
            len(one.sizes) == 1
            and enlargement is not None
            and enlargement.joins_in_loop
            and taken[0][0] < one.sizes[0][0]
        ):
            yield one._replace(sizes=[(taken[0][0], 0), *one.sizes]), enlargement
            continue
        fewest = FEWEST_SIZES if enlargement is not None else FEWEST_ALONE
        if len(one.sizes) >= fewest and one.size_bytes >= GROWS * one.sizes[0][1]:
            yield one, enlargement


def _seen(case: Case) -> list[_Grown]:
    """What was at no look smaller than before."""
    series: dict[Key, _Grown] = {}
    shrunk: set[Key] = set()
    for at, census in censuses(case):
        for key, (holder, group, number, size) in by_holder(census, KINDS).items():
            if holder.root not in NAMED_ROOTS or (number > MOST_AT_ONCE and not _is_table(holder)):
                continue
            sizes = series[key].sizes if key in series else []
            if sizes and size < sizes[-1][1]:
                shrunk.add(key)
            news = [(at, size)] if not sizes or size > sizes[-1][1] else []
            series[key] = _Grown(holder, group, sizes + news, at, census)
    return [one for key, one in series.items() if key not in shrunk]


def _is_table(holder: Holder) -> bool:
    return holder.container.rpartition(".")[2] in _TABLES


def _enlargement(case: Case, found: _Grown) -> Enlargement | None:
    """Of several statements the last of the function that holds the thing: the first may prepare it."""
    candidates = enlargements(found.holder.path, case.recording.sources)
    own = [one for one in candidates if one.file == found.holder.file and one.function == found.holder.function]
    return next(reversed(own or candidates), None)


def _at_end(case: Case, found: _Grown, copies: bool) -> int:
    """The last size with what came after it: by the process's memory, where that grows as the thing does, else at the
    rate of the last two looks."""
    (from_s, low), (_, high) = list(pairwise(found.sizes))[-1]
    since = found.seen_s
    if not copies and anonymous_series(case):
        return high + own_pages_since(case, since)
    # Not the end of the run: before it the kernel looks for memory for a while, and nothing is made any more.
    until = case.records.last_at_s
    carried = (high - low) * max(0.0, until - since) / max(1e-3, since - from_s)
    return round(high + min(carried, LONGEST_CARRIED * high))


def _finding(case: Case, found: _Grown, enlargement: Enlargement | None, certainty: Certainty) -> Finding:
    kind = "table" if _is_table(found.holder) else found.group.kind
    # The path has the key that the statement has in a variable.
    name = enlargement.name if enlargement and "[" not in found.holder.path else found.holder.path
    place = _place(case, enlargement)
    end = _at_end(case, found, _copied(enlargement))
    first = found.sizes[0][1]
    seconds = found.sizes[-1][0] - found.sizes[0][0]
    copy = (
        f"; each time a new copy is made next to the old one, which takes {words.size(2 * end)}"
        if _copied(enlargement)
        else ""
    )
    grows = f"the {kind} `{name}` keeps growing"
    return Finding(
        message=f"{prefix(place)}{grows}, to about {words.size(end)}{case.limit_words}{copy}",
        certainty=certainty,
        location=place,
        culprit=Culprit(kind=kind, name=name, shape=found.group.shape, dtype=found.group.dtype, bytes=end),
        evidence=[
            Evidence(
                fact=f"size of `{name}` at {words.count(len(found.sizes), 'census', 'censuses')}",
                value=f"from {words.size(first)} to {words.size(found.size_bytes)} in {words.duration(seconds)}",
                source="CensusTaken",
            ),
            Evidence(
                fact=f"census at {found.census.trigger}",
                value=of_own_bytes(case, found.census, found.size_bytes),
                source="CensusTaken",
            ),
            *line_evidence(case),
        ],
        advice=_ADVICE[kind],
        changes=_changes(case, place, enlargement.name if enlargement else name, kind, found),
    )


def _changes(case: Case, place: Location | None, name: str, kind: str, found: _Grown) -> list[Change]:
    """Only the last part of it, a quarter of what there was."""
    source = case.sources.get(place.file) if place is not None else None
    shape = [size or 0 for size in found.group.shape or []]
    if source is None or place is None or (kind == "text" and not shape):
        shape = [found.size_bytes]
    if source is None or place is None:
        return []
    edits = last_part(source, place.file, place.line, name, kind, shape, PART)
    return change_of(f"Keep only the last part of `{name}`", "bound", edits)


def _resized(case: Case) -> Finding | None:
    """A variable whose shape was left open and to which a statement joins something: what it holds is not to be read
    from outside while the program runs, so memory alone tells what it grew by."""
    grown = own_peak_bytes(case) - baseline_bytes(case)
    if grown < LEAK_BYTES or named_explain(case, UNNAMED):
        return None
    for made in case.records.all(VariablesMade):
        place = case.locate(made.frames[-1]) if made.resizable and made.frames else None
        name = target(case.sources, place) if place else None
        joining = [one for one in enlargements(name, case.recording.sources) if one.copies] if name else []
        if place is None or name is None or not joining:
            continue
        at = case.locate(joining[-1])
        return Finding(
            message=f"{prefix(at)}the variable `{name}` gets longer each time this line runs, and memory grew by "
            f"{words.size(grown)}{case.limit_words}; its own size was not measured",
            certainty="likely",
            location=at,
            culprit=Culprit(kind="variable", name=name, bytes=grown),
            evidence=[
                Evidence(
                    fact=f"`{name}` at {place.spelled}", value="made without a fixed shape", source="VariablesMade"
                ),
                Evidence(fact="memory beyond the libraries", value=words.size(grown), source="MachineSampled"),
            ],
            advice=[f"Empty `{name}` when its content was used (at the start of each epoch), or keep only a summary."],
        )
    return None


def _place(case: Case, enlargement: Enlargement | None) -> Location | None:
    if enlargement is not None:
        return case.locate(enlargement)
    lines = own_growth_by_line(case)
    return lines[0].location if lines else None


def _copied(enlargement: Enlargement | None) -> bool:
    return enlargement is not None and enlargement.copies


_ADVICE = {
    "array": [
        "Collect the parts in a list, and join them once after the loop (`np.concatenate(parts)`); if the final "
        "shape is known, create the array once and fill its rows.",
        "If the whole does not fit, write each part to a file (`np.memmap`), or process each part and drop it.",
    ],
    "tensor": [
        "Collect the parts in a list (inside `tf.function` in a `tf.TensorArray`), and join them once after the loop.",
        "If the whole does not fit, keep a bounded number of parts (`deque(maxlen=…)`), or write each to a file.",
    ],
    "table": [
        "Collect the tables in a list, and call `concat` once after the loop.",
        "If the whole does not fit, write each part to a file, and choose smaller types (`float32`, `category`).",
    ],
    "text": ["Write each part to a file; to join many in memory, collect them in a list and call `''.join(parts)`."],
}
_ADVICE["variable"] = _ADVICE["tensor"]
