"""The program reached the limit of `--memory-limit`, and we ended it.

## What it detects
A run whose limit had to be watched by us, because no cgroup could be made, and that went above it.

## Why it happens
The processes of the program together held more memory than `--memory-limit` allowed.

## Evidence
The supervisor's own record of the signal that it sent, the samples of memory, and why no cgroup could be
made.

## How it is proved
We sent the signal ourselves: certain.

## Fix
Use less memory at the line shown, or raise the limit.

## Known problems
A watched limit is looked at some ten to fifty times a second: growth between two looks goes above it.
"""

from __future__ import annotations

from whydied import words
from whydied.diagnose.case import Case, prefix
from whydied.diagnose.finding import Evidence, Finding
from whydied.diagnose.memo import once

ROLE = "memory death"
YIELDS_TO = ("stopped-on-hang",)


@once
def check(case: Case) -> Finding | None:
    if not any(sent.why == "memory limit" for sent in case.recording.signals_sent):
        return None
    limit, peak = case.recording.limit, case.recording.peak_rss_bytes
    place, seen = case.last_seen()
    allowed = words.size(limit.limit_bytes) if limit else "its limit"
    why = [Evidence(fact="why whydied enforced the limit", value=limit.reason, source="LimitApplied")] if limit else []
    return Finding(
        message=f"{prefix(place)}{case.program} reached {words.size(peak)}, above --memory-limit {allowed}, and was "
        "terminated by whydied",
        certainty="certain",
        location=place,
        evidence=[
            Evidence(fact="memory at the end", value=words.size(peak), source="MachineSampled"),
            Evidence(fact="limit", value=allowed, source="LimitApplied"),
            *why,
            *seen,
        ],
        advice=["Use less memory on this line, or raise --memory-limit."],
    )
