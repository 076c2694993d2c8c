"""Threads wait for each other in a circle, and none of them can ever go on.

## What it detects
Threads each of which waits for a lock that the next one holds, or for the end of the next one; also a single thread
that takes a lock a second time which it holds already.

## Why it happens
Two locks are taken in opposite order; a function that takes a lock is called while the same lock is held; a thread is
joined while a lock is held that it needs to end.

## Evidence
The stacks of all threads, taken while the program stood still, with the locks by identity: a lock is held by a thread
that stands inside the `with` statement of it, or that the lock itself names as its owner; it is waited for at the line
where the thread stands.

## How it is proved
The very same lock objects on both sides: certain. Where a lock was taken by `acquire()` on an earlier line, that it is
still held is read from the source: likely; so is a circle through a pipeline or a pool of threads, where the
worker that has to act is known by what it works for.

## Fix
Take locks in one order everywhere; make a lock reentrant (`threading.RLock`) where a thread may take it again; join
threads after giving the lock back.

## Known problems
Locks between processes and locks that only native code knows have no identity that can be seen.

## References
https://docs.python.org/3/library/threading.html#lock-objects
"""

from __future__ import annotations

from whydied.diagnose.case import Case, line_words, prefix
from whydied.diagnose.finding import Culprit, Evidence, Finding
from whydied.diagnose.hangs import stalls
from whydied.read.stall import Knot, Stall
from whydied.read.waiting import WORDS

ROLE = "cause"


def check(case: Case) -> Finding | None:
    seen = stalls.stall_of(case)
    if seen is None or not seen.stall.circle or not stalls.hung(case):
        return None
    circle = _from_a_lock(seen.stall)
    uses = [use for knot in circle for use in (knot.wants, knot.held) if use is not None]
    place = case.locate_user(circle[0].thread.frames)
    wanted = circle[0].wants
    return Finding(
        message=f"{prefix(place)}{_sentence(circle)}",
        certainty="certain" if all(use.sure for use in uses) and stalls.is_closed(seen.stall) else "likely",
        location=place,
        culprit=Culprit(kind="lock", name=wanted.name)
        if wanted
        else Culprit(kind="thread", name=circle[0].thread.name),
        evidence=[
            stalls.stood_still(seen),
            *(_evidence(circle, at) for at in range(len(circle))),
            *stalls.stacks_evidence(case, seen),
        ],
        advice=[_advice(circle)],
    )


def _from_a_lock(stall: Stall) -> list[Knot]:
    """The circle, begun at a thread that waits for a lock: the join is rarely the line to change."""
    at = next((at for at, knot in enumerate(stall.circle) if knot.wants is not None), 0)
    return stall.circle[at:] + stall.circle[:at]


def _sentence(circle: list[Knot]) -> str:
    if len(circle) == 1:
        knot = circle[0]
        name = knot.wants.name if knot.wants else ""
        since = f" since {line_words(knot.held)}" if knot.held else ""
        return f"{_who(knot)} waits for the lock `{name}`, which it already holds{since}"
    parts = [_part(knot, circle[(at + 1) % len(circle)]) for at, knot in enumerate(circle)]
    return f"{', '.join(parts[:-1])}, and {parts[-1]}: none of them can continue"


def _part(knot: Knot, following: Knot) -> str:
    if knot.wants is None and knot.kind == "thread":
        return f"{_who(knot)} waits{_line(knot)} for {_who(following)} to end"
    if knot.wants is None:
        return f"{_who(knot)} waits{_line(knot)} for {WORDS[knot.kind]}, which {_who(following)} must deliver"
    since = f" ({line_words(knot.held)})" if knot.held else ""
    at = f" at {line_words(knot.wants)}"
    return f"{_who(knot)} waits{at} for the lock `{knot.wants.name}`, which {_who(following)} holds{since}"


def _line(knot: Knot) -> str:
    mine = [frame for frame in knot.thread.frames if frame.user]
    return f" at {line_words(mine[-1])}" if mine else ""


def _who(knot: Knot) -> str:
    return "the main thread" if knot.thread.main else f"thread {knot.thread.name}"


def _evidence(circle: list[Knot], at: int) -> Evidence:
    knot = circle[at]
    return Evidence(
        fact=f"circle, thread {at + 1} of {len(circle)}",
        value=_part(knot, circle[(at + 1) % len(circle)]),
        source="StacksTaken",
    )


def _advice(circle: list[Knot]) -> str:
    if len(circle) == 1:
        return "Make it a threading.RLock, or release the lock before you call what acquires it again."
    if any(knot.wants is None for knot in circle):
        return "Release the lock before you wait for the other thread."
    return "Acquire the locks in the same order in all threads."
