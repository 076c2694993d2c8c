"""Memory was asked for and refused: the program got an error instead of the memory.

## What it detects
An uncaught `MemoryError` of Python or NumPy, or a `ResourceExhaustedError` of TensorFlow that speaks of
allocation; also the `MemoryError` with which `whydied run --memory-guard` stops a program.

## Why it happens
One request was larger than the system can grant: the memory that is there, an address-space limit (`ulimit
-v`), or the kernel's overcommit rule. Often the request itself is a mistake, a shape with one dimension too
many.

## Evidence
The exception with the size, shape and type that it quotes, else those that the source gives as numbers; the
limit; the memory available when last seen; the parts of the failing statement.

## How it is proved
The exception is direct evidence: certain.

## Fix
Ask for less: check the shape on that line against what was meant.

## Known problems
A request that the kernel grants and cannot back later is not a refusal: it ends in an OOM kill.
"""

from __future__ import annotations

import re
from math import prod

from whydied import words
from whydied.diagnose.case import Case, prefix, root_of
from whydied.diagnose.errors.exception_words import evidence_of
from whydied.diagnose.finding import Culprit, Evidence, Finding, Location
from whydied.diagnose.memo import once
from whydied.diagnose.memory import allocator_messages
from whydied.diagnose.memory.guard_stops import stopped_by_guard
from whydied.diagnose.memory.statement_shapes import made_by
from whydied.diagnose.memory.table_changes import smaller_dimension
from whydied.records import MemoryGuarded, MemoryWarned, RaisedException, RlimitsSeen
from whydied.source.edits.edit import Change
from whydied.texts import allocators

_NUMPY = allocators.ARRAY_REFUSED.pattern
LEAST_BYTES = 1 << 20
"""A size in the source below this is not what was refused."""

_SHAPE = "Check the shape on this line: a request of this size often has one dimension too many."
_SMALLER = "Give the compiled function less at a time: a smaller batch, or blocks of rows."

ROLE = "memory death"
YIELDS_TO = ("ended-by-signal",)


@once
def check(case: Case) -> Finding | None:
    raised = case.uncaught
    if raised is None:
        return None
    link = next((link for link in reversed(raised.chain[: root_of(raised.chain) + 1]) if _is_refusal(link)), None)
    if link is None:
        return None
    place = case.locate_exception([link, *raised.chain])
    if guard := stopped_by_guard(case):
        return Finding(
            message=f"{prefix(place)}the memory guard stopped the program with {_left(guard)} of memory left",
            certainty="certain",
            location=place,
            evidence=_limits(case),
        )
    culprit = _asked(case, link, place)
    asked = f"a request for {words.size(culprit.bytes)}" if culprit and culprit.bytes else "a request for memory"
    told = allocator_messages.parse(link.message)
    compiled = told is not None and told.compiled
    asked += " by XLA, for all that it compiled," if compiled else ""
    shape = f" (shape {culprit.shape}, {culprit.dtype})" if culprit and culprit.shape else ""
    return Finding(
        message=f"{prefix(place)}{asked}{shape} was refused{_there_is(case)}",
        certainty="certain",
        location=place,
        culprit=culprit,
        evidence=[*evidence_of(link, raised), *_limits(case)],
        advice=[_SMALLER if compiled else _SHAPE],
        changes=_changes(case, place, culprit),
    )


def _changes(case: Case, place: Location | None, asked: Culprit | None) -> list[Change]:
    """Smaller dimensions, where the source writes them: nothing tells more than that so much was too much."""
    if place is None or asked is None or not asked.bytes or not asked.shape:
        return []
    return smaller_dimension(case, place, [extent or 0 for extent in asked.shape], asked.bytes, asked.bytes)


def _left(guard: MemoryWarned) -> str:
    return words.size(max(0, guard.limit_bytes - guard.rss_bytes))


def _is_refusal(link: RaisedException) -> bool:
    if link.type in ("MemoryError", "_ArrayMemoryError"):
        return True
    return link.type == "ResourceExhaustedError" and bool(
        allocators.ABOUT_MEMORY.pattern.search(link.message)
        and not allocators.NO_ROOM_ON_DISK.pattern.search(link.message)
    )


def _asked(case: Case, link: RaisedException, place: Location | None) -> Culprit | None:
    """What the message tells; where it tells nothing, as Python's own does, what the source gives as numbers."""
    if told := allocator_messages.parse(link.message):
        return Culprit(
            kind="compiled step" if told.compiled else "tensor",
            shape=list(told.shape) if told.shape else None,
            dtype=told.dtype,
            bytes=told.asked_bytes,
        )
    if found := _NUMPY.search(link.message):
        shape = [int(part) for part in re.findall(r"\d+", found["shape"])]
        item = allocator_messages.item_bytes(found["dtype"])
        size = prod(shape) * item if item else allocator_messages.size_bytes(found["size"])
        return Culprit(kind="array", shape=list(shape), dtype=found["dtype"], bytes=size)
    made = made_by(case, place, LEAST_BYTES) if place is not None and not link.message else None
    return Culprit(kind="array", shape=list(made.shape), dtype=made.dtype, bytes=made.size_bytes) if made else None


def _there_is(case: Case) -> str:
    if case.records.all(MemoryGuarded):
        return " by the memory guard, because it would not fit"
    limits = case.recording.supervisor.last(RlimitsSeen)
    if limits and limits.address_space_bytes:
        return f"; the address space is limited to {words.size(limits.address_space_bytes)} (RLIMIT_AS)"
    sample, limit = case.last_sample, case.recording.limit
    if sample is None or sample.machine.available_bytes is None:
        return ""
    left = sample.machine.available_bytes
    if limit is not None:
        # What the machine has beyond the limit is not for this program.
        left = min(left, max(0, limit.limit_bytes - (sample.machine.cgroup_bytes or sample.rss_bytes)))
    return f"; {words.size(left)} was available"


def _limits(case: Case) -> list[Evidence]:
    found = []
    limit, sample = case.recording.limit, case.last_sample
    if limit:
        found.append(Evidence(fact=f"limit ({limit.kind})", value=words.size(limit.limit_bytes), source="LimitApplied"))
    if sample:
        found.append(
            Evidence(
                fact="memory of the program at the last sample",
                value=words.size(sample.rss_bytes),
                source="MachineSampled",
            )
        )
    return found
