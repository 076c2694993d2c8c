"""The run was ended by whydied because it hung, as `--stop-on-hang` asks.

## What it detects
A program that made no progress for the time of `--hang-after` and was ended for it.

## Why it happens
`--stop-on-hang` was given, and the program waited for something that did not come.

## Evidence
The supervisor's own record of the signal that it sent, and of the time without output, steps and processor time.

## How it is proved
We sent the signal ourselves: the finding is certain. What the program waited for is told by the finding below it.

## Fix
See that finding. Where the wait was meant, raise `--hang-after`.
"""

from __future__ import annotations

from whydied import words
from whydied.diagnose.case import Case, prefix
from whydied.diagnose.finding import Evidence, Finding
from whydied.records import ProgressStopped

ROLE = "death"
YIELDS_TO = ("time-limit",)


def check(case: Case) -> Finding | None:
    sent = [sent for sent in case.recording.signals_sent if sent.why == "hang"]
    if not sent or case.is_child:
        return None
    stopped = case.recording.supervisor.last(ProgressStopped)
    after = words.duration(stopped.idle_s) if stopped else "a time"
    place, seen = case.last_seen()
    return Finding(
        message=f"{prefix(place)}{case.program} was terminated by whydied after {after} without progress "
        "(--stop-on-hang)",
        certainty="certain",
        location=place,
        evidence=[
            Evidence(fact="time without output, steps or CPU time", value=after, source="ProgressStopped"),
            Evidence(fact="signals sent", value=len(sent), source="SignalSent"),
            *seen,
        ],
        advice=["If the wait was intended, raise --hang-after."],
    )
