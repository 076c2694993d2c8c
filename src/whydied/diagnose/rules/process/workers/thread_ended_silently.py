"""A thread or process swallowed its exception and ended, and the rest of the program waits for what it should bring.

## What it detects
A run that was ended while it stood still, waiting for an item of a queue, an event, a condition or the like, where the
one function of the program that could end the wait is no longer running anywhere, and has an `except` that ends it
without raising or saying anything.

## Why it happens
`except Exception: break` in a producer keeps its thread from dying with a traceback, and with it goes the only sign
that something went wrong. Whoever waits for its next item waits for ever.

## Evidence
The stacks of all threads of all processes, taken while the program stood still: none is in that function. The source:
which functions bring what is waited for, and how they end.

## How it is proved
That the function no longer runs is direct evidence; that it ended by that `except` is read from the source: likely.

## Fix
Let the exception be seen: raise it again, or pass it on through the queue, so that whoever waits hears of it.

## Known problems
Which exception it was is not known. A producer that ended because it had nothing more to bring looks the same if it has
such an `except`.

## References
https://docs.python.org/3/library/threading.html#threading.excepthook
"""

from __future__ import annotations

from whydied.diagnose.case import Case, line_words, prefix
from whydied.diagnose.finding import Culprit, Evidence, Finding
from whydied.diagnose.hangs import stalls
from whydied.records import Frame
from whydied.source.feeders import Feeder, feeders_of

ROLE = "cause"
YIELDS_TO = ("thread-died", "child-process-died", "deadlock")


def check(case: Case) -> Finding | None:
    seen = stalls.stall_of(case)
    if seen is None or not stalls.hung(case) or not seen.stall.chain or seen.stall.circle:
        return None
    last, waiting = stalls.deepest(case, seen.stall)
    name = stalls.name_of(case, last)
    found = feeders_of(case.sources, last.stand.kind, name) if name else []
    if len(found) != 1 or found[0].swallows is None or _is_running(seen, found[0]):
        return None
    feeder = found[0]
    place = case.locate(Frame(file=feeder.file, line=feeder.swallows or 0, function=feeder.name, user=True))
    at = f" at {line_words(waiting)}" if waiting else ""
    return Finding(
        message=f"{prefix(place)}`{feeder.name}` has ended, and this `except` says nothing of it; "
        f"{stalls.who(case, last)} waited{at} for {stalls.what(case, last)}, which only `{feeder.name}` brings",
        certainty="likely",
        location=place,
        culprit=Culprit(kind="function", name=feeder.name),
        evidence=[
            stalls.stood_still(seen),
            Evidence(
                fact=f"threads in `{feeder.name}` at that time",
                value=f"none of {sum(len(one.threads) for one in seen.taken)}",
                source="StacksTaken",
            ),
            *stalls.stacks_evidence(case, seen)[:2],
        ],
        advice=[f"Write `raise` in this `except`{_through(last.stand.kind, name)}: then the exception is seen."],
    )


def _through(kind: str, name: str | None) -> str:
    return f", or pass the exception on through `{name}`" if kind in ("queue", "pipe") else ""


def _is_running(seen: stalls.Seen, feeder: Feeder) -> bool:
    return any(
        frame.file == feeder.file and frame.function == feeder.name
        for taken in seen.taken
        for thread in taken.threads
        for frame in thread.frames
    )
