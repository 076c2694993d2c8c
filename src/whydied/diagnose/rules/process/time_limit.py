"""The run was ended by its own time limit, `--timeout`.

## What it detects
A program that was still running when the time given with `--timeout` was over.

## Why it happens
The work takes longer than allowed, or the program waits for something that never comes.

## Evidence
The supervisor's own record of the signal that it sent and when, and the line where the main thread was last
seen.

## How it is proved
We sent the signal ourselves: the finding is certain. Whether the program was slow or stuck is not decided
here.

## Fix
Raise the limit if the program was still making progress; otherwise look at the line where it stood.

## Known problems
A program that handles SIGTERM and exits with its own status keeps that status; the outcome is still "hung".
"""

from __future__ import annotations

from whydied import words
from whydied.diagnose.case import Case, prefix
from whydied.diagnose.finding import Evidence, Finding

ROLE = "death"
YIELDS_TO = ("program-not-found",)


def check(case: Case) -> Finding | None:
    sent = [sent for sent in case.recording.signals_sent if sent.why == "time limit"]
    started = case.recording.started
    if not sent or started is None or case.is_child:
        return None
    place, seen = case.last_seen()
    limit = words.duration(started.timeout_s)
    return Finding(
        message=f"{prefix(place)}{case.program} hit its time limit of {limit}",
        certainty="certain",
        location=place,
        evidence=[
            Evidence(fact="time limit", value=limit, source="RunStarted"),
            Evidence(fact="signals sent at the limit", value=len(sent), source="SignalSent"),
            *seen,
        ],
        advice=["If it was still making progress, raise --timeout; if not, this line is where it was stuck."],
    )
