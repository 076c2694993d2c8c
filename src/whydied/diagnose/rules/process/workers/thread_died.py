"""A thread ended by an exception, and the rest of the program waits for what it should have brought.

## What it detects
A run that was ended while it stood still, waiting for an item of a queue, an event, a condition or the like, after
another thread of the same process had ended by an exception that nobody caught.

## Why it happens
An exception that leaves the function of a thread is printed and ends that thread only. Whoever waits for its next item,
or for a lock that it had taken, waits for ever.

## Evidence
The exception of the thread with its lines and values, recorded when it happened; the stacks of all threads, taken while
the program stood still.

## How it is proved
Both are direct evidence; that the one waits for the other is inferred: likely. It is certain where the main thread
waits for something whose name the lines of the ended thread use.

## Fix
Mend the exception; catch it in the thread and hand it on (a sentinel in the queue, a future), so that the main thread
hears of it.

## Known problems
Of several threads that ended so, the first one is named.

## References
https://docs.python.org/3/library/threading.html#threading.excepthook
"""

from __future__ import annotations

import re

from whydied.diagnose.case import Case, line_words, prefix
from whydied.diagnose.errors.exception_words import advice_for, culprit_of, describe, evidence_of
from whydied.diagnose.finding import Evidence, Finding, Location
from whydied.diagnose.hangs import stalls
from whydied.read.stall import Waiter
from whydied.records import ExceptionRaised

_BROUGHT_BY_OTHERS = frozenset(
    {"queue", "full queue", "event", "condition", "semaphore", "barrier", "lock", "pipe", "pipeline", "future"}
)
_AFTER_S = 5.0

ROLE = "cause"


def check(case: Case) -> Finding | None:
    seen = stalls.stall_of(case)
    if seen is None or not seen.stall.hangs or seen.stall.circle:
        return None
    last, _ = stalls.deepest(case, seen.stall)
    if last.stand.kind not in _BROUGHT_BY_OTHERS:
        return None
    raised = _of_thread(case, last.pid, seen.began_s + _AFTER_S)
    if raised is None:
        return None
    link = raised.chain[-1] if raised.chain[0].link == "cause" else raised.chain[0]
    place = case.locate_exception([link, *raised.chain])
    waiting = stalls.place_of(case, last)
    at = f" at {line_words(waiting)}" if waiting else ""
    return Finding(
        message=f"{prefix(place)}thread {raised.thread} died of {describe(link)}, and {stalls.who(case, last)} "
        f"waited{at} for {stalls.what(case, last)}, which it should have {_task(last)}",
        certainty="certain" if _names(case, place, stalls.name_of(case, last)) else "likely",
        location=place,
        culprit=culprit_of(link),
        evidence=[*evidence_of(link, raised), stalls.stood_still(seen), _wait(case, last)],
        advice=[*advice_for(link), "Catch it in the thread and pass it on: an exception ends only its own thread."],
    )


def _task(waiter: Waiter) -> str:
    return "released" if waiter.stand.kind in ("lock", "semaphore") else "brought"


def _of_thread(case: Case, pid: int, before_s: float) -> ExceptionRaised | None:
    """The first exception that ended a thread of a process, before the program stood still."""
    for process in case.recording.processes:
        if process.pid == pid:
            for at_s, raised in process.timed(ExceptionRaised):
                if raised.where == "thread" and raised.chain and at_s <= before_s:
                    return raised
    return None


def _names(case: Case, place: Location | None, name: str | None) -> bool:
    """Whether the function in which the exception rose uses what is waited for."""
    source = case.recording.sources.get(place.file) if place else None
    if source is None or name is None or place is None:
        return False
    lines = source.lines[max(0, place.line - 15) : place.line + 15]
    return any(re.search(rf"\b{re.escape(name)}\b", line) for line in lines)


def _wait(case: Case, waiter: Waiter) -> Evidence:
    return Evidence(fact=f"{stalls.who(case, waiter)} waits for", value=stalls.what(case, waiter), source="StacksTaken")
