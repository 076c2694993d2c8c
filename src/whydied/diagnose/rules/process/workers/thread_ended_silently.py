"""A thread or process swallowed its exception and ended, and the rest of the program waits for what it should bring.

## What it detects
A run that was ended while it stood still, waiting for an item of a queue, an event, a condition or the like, or that
gave up such a wait (`queue.Empty`) after 5 s and more, where the one function of the program that could end the wait is
no longer running anywhere, and has an `except` that ends it without raising or saying anything.

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

from typing import NamedTuple

from whydied.diagnose.case import Case, line_words, prefix
from whydied.diagnose.errors.usage import place_of, root_link, said
from whydied.diagnose.finding import Culprit, Evidence, Finding
from whydied.diagnose.hangs import stalls
from whydied.read.waiting import WORDS
from whydied.records import Frame, StacksTaken
from whydied.source.calls import receiver
from whydied.source.feeders import Feeder, feeders_of

_TIMED_OUT = {"Empty": "queue", "Full": "full queue"}
"""What a queue raises when the time of a wait is over."""

ROLE = "cause"
YIELDS_TO = ("thread-died", "child-process-died", "deadlock")


def check(case: Case) -> Finding | None:
    wait = _stalled(case) or _given_up(case)
    found = feeders_of(case.sources, wait.kind, wait.name) if wait is not None else []
    if wait is None or len(found) != 1 or found[0].swallows is None or _is_running(wait.stacks, found[0]):
        return None
    feeder = found[0]
    place = case.locate(Frame(file=feeder.file, line=feeder.swallows or 0, function=feeder.name, user=True))
    return Finding(
        message=f"{prefix(place)}`{feeder.name}` has ended, and this `except` says nothing of it; {wait.words}, which "
        f"only `{feeder.name}` brings",
        certainty="likely",
        location=place,
        culprit=Culprit(kind="function", name=feeder.name),
        evidence=[
            Evidence(
                fact=f"threads in `{feeder.name}` during the wait",
                value=f"none of {sum(len(one.threads) for one in wait.stacks)}",
                source="StacksTaken",
            ),
            *wait.evidence,
        ],
        advice=[f"Write `raise` in this `except`{_through(wait.kind, wait.name)}: then the exception is seen."],
    )


class _Wait(NamedTuple):
    """What was waited for, and where everybody stood meanwhile."""

    kind: str
    name: str
    words: str
    stacks: list[StacksTaken]
    evidence: list[Evidence]


def _stalled(case: Case) -> _Wait | None:
    """The wait in which the run was ended."""
    seen = stalls.stall_of(case)
    if seen is None or not stalls.hung(case) or not seen.stall.chain or seen.stall.circle:
        return None
    last, waiting = stalls.deepest(case, seen.stall)
    name = stalls.name_of(case, last)
    at = f" at {line_words(waiting)}" if waiting else ""
    words = f"{stalls.who(case, last)} waited{at} for {stalls.what(case, last)}"
    evidence = [stalls.stood_still(seen), *stalls.stacks_evidence(case, seen)[:2]]
    return _Wait(last.stand.kind, name, words, seen.taken, evidence) if name else None


def _given_up(case: Case) -> _Wait | None:
    """A wait with a time limit of its own, after which the program raised."""
    link = root_link(case)
    kind = _TIMED_OUT.get(link.type) if link is not None else None
    place = place_of(case)
    taken = case.records.all(StacksTaken)
    name = receiver(case.sources, place, ("get", "put")) if place is not None and kind is not None else None
    if link is None or kind is None or place is None or name is None or not taken:
        return None
    words = f"{line_words(place)} waited for {WORDS[kind]} (`{name}`) and gave up"
    return _Wait(kind, name, words, [one for one in taken if one.moment == taken[-1].moment], [said(link)])


def _through(kind: str, name: str | None) -> str:
    return f", or pass the exception on through `{name}`" if kind in ("queue", "pipe") else ""


def _is_running(stacks: list[StacksTaken], feeder: Feeder) -> bool:
    return any(
        frame.file == feeder.file and frame.function == feeder.name
        for taken in stacks
        for thread in taken.threads
        for frame in thread.frames
    )
