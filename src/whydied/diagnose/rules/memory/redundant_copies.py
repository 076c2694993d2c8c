"""The same rows are in memory two or three times, or in a type twice as wide as needed.

## What it detects
Large arrays and tensors with the same contents in different memory, and float64 arrays beside their float32
twins, that make up a good part of the memory; also a program that was killed while it made such a copy.

## Why it happens
Data are read as float64, cast to float32, then made into a tensor; a list of arrays is stacked and kept;
`train_test_split` and fancy indexing copy; each stage keeps its variable alive.

## Evidence
The last census: large arrays and tensors with the same sampled contents, their bytes and the variables that hold
them; the statements that assign those variables.

## How it is proved
The copies must make up at least a fifth of what the program held above its libraries, and at least 48 MiB.
Certain from a third on, where the census itself saw the copy; likely otherwise, and where the program was
killed in a statement that copies a variable that the census knows.

## Fix
Let go of the first (`del`), make the conversion where the data are read, or convert batch by batch (`tf.data`,
a generator). Read as float32 at once.

## Known problems
Contents are compared by a few dozen values spread over the array.
"""

from __future__ import annotations

import math
from typing import NamedTuple

from whydied import words
from whydied.diagnose.case import Case, line_words, prefix
from whydied.diagnose.finding import Culprit, Evidence, Finding, Location
from whydied.diagnose.memo import once
from whydied.diagnose.memory.bounding_changes import change_of
from whydied.diagnose.memory.call_at_death import own_bytes, ran_out
from whydied.diagnose.memory.growth_with_events import NAMED_ROOTS
from whydied.diagnose.memory.last_statement import StatementGrowth, last_statement_growth
from whydied.diagnose.memory.memory_over_time import censuses
from whydied.graph.op_table import element_bytes
from whydied.records import CensusTaken, ObjectGroup
from whydied.source.arrays.array_copies import copy_at
from whydied.source.arrays.array_makers import dtype_in
from whydied.source.assignments import assignment
from whydied.source.edits.edit import Change
from whydied.source.edits.memory.fewer_copies import fewer_copies

SMALLEST_BYTES = 48 << 20
SHARE = 0.2
CERTAIN_SHARE = 1 / 3
SOURCE_SHARE = 0.15
NOISE = 0.15
"""Part of a copy that something else can have taken meanwhile."""
MOST_ALIKE = 6
"""More members with the same contents are a container that is filled with one thing, which another rule names."""


class Copy(NamedTuple):
    """A variable whose contents are those of another."""

    name: str
    original: str
    group: ObjectGroup
    size_bytes: int


ROLE = "memory"
AT_ONCE = True
YIELDS_TO = ("arrays-kept-in-container",)


@once
def check(case: Case) -> Finding | None:
    taken = censuses(case)
    if not taken or not ran_out(case):
        return None
    census = taken[-1][1]
    copies = _copies(case, census)
    if any(_is_named(case, copy) for copy in copies):
        return _seen(case, copies) or _being_made(case, census)
    # What only a library has a name for is on its way to the program.
    return _being_made(case, census) or _seen(case, copies)


def _seen(case: Case, copies: list[Copy]) -> Finding | None:
    wasted = sum(copy.size_bytes for copy in copies)
    if wasted < max(SMALLEST_BYTES, SHARE * own_bytes(case)):
        return None
    largest = max(copies, key=lambda copy: (bool(copy.name), copy.size_bytes))
    place = assignment(case.sources, largest.name or largest.original)
    changes = _changes(case, place)
    return Finding(
        message=f"{prefix(place)}{_told(copies, largest)}, so {words.size(wasted)} is in memory more than once",
        certainty="certain" if wasted >= CERTAIN_SHARE * own_bytes(case) and place else "likely",
        location=place,
        culprit=Culprit(
            kind=largest.group.kind,
            name=largest.name or largest.original,
            shape=largest.group.shape,
            dtype=largest.group.dtype,
            bytes=wasted,
            near=[largest.original],
        ),
        evidence=[
            Evidence(
                fact=f"{_quoted(copy.name)}, a copy of `{copy.original}`",
                value=f"{copy.group.dtype} {copy.group.shape}, {words.size(copy.size_bytes)}{_line(case, copy.name)}",
                source="CensusTaken",
            )
            for copy in copies[:4]
        ],
        advice=_advice(largest, changes),
        changes=changes,
    )


def _told(copies: list[Copy], largest: Copy) -> str:
    """`a`, `b` are copies of `c`; others besides are counted."""
    same = [copy for copy in copies if copy.original == largest.original]
    names = ", ".join(_quoted(copy.name) for copy in same[:3])
    verb = "is a copy" if len(same) == 1 else "are copies"
    others = [copy for copy in copies if copy.original != largest.original]
    besides = (
        f", and {', '.join(f'{_quoted(copy.name)} of `{copy.original}`' for copy in others[:2])}" if others else ""
    )
    return f"{names} {verb} of `{largest.original}`{besides}"


def _copies(case: Case, census: CensusTaken) -> list[Copy]:
    """All copies, the largest first. Of arrays with the same contents the one that the source makes first is the
    original, whatever its type."""
    clusters: dict[str, list[Copy]] = {}
    for group in census.groups:
        # A recording of an older version names one original for all.
        originals = group.originals or [group.copies_of or ""] * len(group.copies)
        for name, told in zip(group.copies, originals, strict=False):
            original = told.split(" (")[0]
            if originals.count(told) <= MOST_ALIKE:
                clusters.setdefault(original, []).append(Copy(name, original, group, _each(group)))
    found: list[Copy] = []
    for original, copies in clusters.items():
        first = _group_of(census, original)
        members = [*([Copy(original, original, first, _each(first))] if first else []), *copies]
        members.sort(key=lambda member: _made_at(case, member.name))
        if not any(_is_named(case, member) for member in members):
            # A library converts for itself, and lets go of it again.
            continue
        found += [member._replace(original=members[0].name) for member in members[1:]]
    return sorted(found, key=lambda copy: -copy.size_bytes)


def _is_named(case: Case, member: Copy) -> bool:
    """Whether a name of the program's own leads to it."""
    known = any(holder.path == member.name and holder.root in NAMED_ROOTS for holder in member.group.holders)
    return known or (bool(member.name) and assignment(case.sources, member.name) is not None)


def _each(group: ObjectGroup) -> int:
    return round(group.size_bytes / max(1, group.count))


def _group_of(census: CensusTaken, name: str) -> ObjectGroup | None:
    groups = [group for group in census.groups if any(holder.path == name for holder in group.holders)]
    return max(groups, key=lambda group: group.size_bytes, default=None)


def _made_at(case: Case, name: str) -> tuple[int, int]:
    """The order in which the source makes variables; what has no name in it was made by a library, later."""
    place = assignment(case.sources, name) if name else None
    return (0, place.line) if place else (1, 0)


def _quoted(name: str) -> str:
    return f"`{name}`" if name else "a tensor that a library keeps"


def _line(case: Case, name: str) -> str:
    place = assignment(case.sources, name) if name else None
    return f", made on {line_words(place)}" if place else ""


def _being_made(case: Case, census: CensusTaken) -> Finding | None:
    """Killed in a statement that copies a large variable."""
    growth = last_statement_growth(case)
    if growth is None or growth.looped or growth.grown_bytes < SHARE * own_bytes(case):
        return None
    copy = copy_at(case.sources, growth.place)
    if copy is None:
        return None
    enough = max(SMALLEST_BYTES, SOURCE_SHARE * own_bytes(case))
    # A library that is at work on an array holds it by a name of its own: it is what the statement handed over.
    sources = [
        (holder.path if holder.path in copy.names else copy.operand or holder.path, group)
        for group in census.groups
        for holder in group.holders
        if (holder.path in copy.names or (holder.root == "library" and copy.operand))
        and group.size_bytes * holder.share >= enough
    ]
    if not sources:
        return None
    name, group = max(sources, key=lambda pair: pair[1].size_bytes)
    size, begun = _each(group), _being_copied(growth, group)
    changes = _changes(case, growth.place)
    return Finding(
        message=f"{prefix(growth.place)}`{name}` ({words.size(size)}, {group.dtype}) is copied here while the "
        f"original is kept; the copy took {words.size(growth.grown_bytes)} more before memory ran out",
        certainty="likely",
        location=growth.place,
        culprit=Culprit(
            kind=group.kind,
            name=copy.result or name,
            shape=group.shape,
            dtype=group.dtype,
            bytes=begun,
            near=[name],
        ),
        evidence=[
            Evidence(
                fact=f"`{name}` in the last census",
                value=f"{group.dtype} {group.shape}, {words.size(size)}",
                source="CensusTaken",
            ),
            growth.evidence(),
        ],
        advice=_advice(Copy(name, name, group, group.size_bytes), changes),
        changes=changes,
    )


def _changes(case: Case, place: Location | None) -> list[Change]:
    """The file of the copy without those that are not needed, and, where that is not all, with float32 besides."""
    source = case.sources.get(place.file) if place is not None else None
    taken = censuses(case)
    if source is None or place is None or not taken:
        return []
    large = {
        holder.path: group.dtype or ""
        for group in taken[-1][1].groups
        for holder in group.holders
        if holder.root in NAMED_ROOTS and group.size_bytes * holder.share >= SMALLEST_BYTES
    }
    exact = fewer_copies(source, place.file, large)
    narrow = fewer_copies(source, place.file, large, narrow=True)
    return [
        *change_of("Leave out the copies and free what is not used any more", "copies", exact, harm="exact"),
        *change_of(
            "Leave out the copies, and make those float32 that were made float64",
            "copies",
            narrow if narrow != exact else [],
            value="float32",
            harm="same result",
        ),
    ]


def _being_copied(growth: StatementGrowth, group: ObjectGroup) -> int:
    """The bytes of the copies that a statement had begun: one, of the type that it names, or as many as its growth
    tells of, because a statement can convert twice."""
    wanted = dtype_in(growth.place.source or "") or group.dtype or ""
    own = element_bytes(group.dtype or "")
    one = round(_each(group) * element_bytes(wanted) / own) if own and element_bytes(wanted) else _each(group)
    return one * max(1, math.ceil(growth.grown_bytes / max(1, one) - NOISE))


def _advice(copy: Copy, changes: list[Change]) -> list[str]:
    advice = [
        f"Free `{copy.original}` (`del`) once the copy exists, or convert batch by batch in the pipeline.",
    ]
    if any("asarray" in edit.text or "copy=False" in edit.text for change in changes for edit in change.edits):
        advice.append("`np.asarray(x)` and `x.astype(t, copy=False)` copy nothing where the type is the same already.")
    if copy.group.dtype == "float64":
        advice.append("Read the data as float32 in the first place: float64 takes twice the memory.")
    return advice
