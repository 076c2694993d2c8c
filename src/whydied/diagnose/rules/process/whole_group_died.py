"""The program and its supervisor were ended together, so nobody saw how.

## What it detects
A recording without an end: no wait status, the supervisor gone, the machine not restarted since.

## Why it happens
A container was stopped, a job's whole process group or session was killed, or the OOM killer took the whole
cgroup.

## Evidence
The last records of both, the boot id, which is still the same, and the memory when last seen.

## How it is proved
That both are gone without a word is certain; who did it is not known unless a counter or the kernel's log
tells.

## Fix
Look where jobs are ended: the scheduler's log, the container's events.

## Known problems
The exit status of the program is lost.
"""

from __future__ import annotations

import signal

from whydied import words
from whydied.diagnose.case import Case, prefix, signal_name
from whydied.diagnose.finding import Evidence, Finding

ROLE = "death"
YIELDS_TO = ("host-oom-kill",)


def check(case: Case) -> Finding | None:
    if not case.ended_with_group:
        return None
    asked = case.exit_request
    if asked is not None and asked.signal == signal.SIGKILL:
        own = case.locate_user(asked.frames)
        return Finding(
            message=f"{prefix(own)}{case.program} killed its whole process group: it sent "
            f"{signal_name(asked.signal)} with {asked.how}",
            certainty="certain",
            location=own,
            evidence=[Evidence(fact="called", value=asked.how, source="ExitRequested")],
        )
    place, seen = case.last_seen()
    sample, limit = case.last_sample, case.recording.limit
    memory = (
        [
            Evidence(
                fact="memory at the last sample",
                value=words.size(sample.rss_bytes) + (f" of {words.size(limit.limit_bytes)}" if limit else ""),
                source="MachineSampled",
            )
        ]
        if sample
        else []
    )
    return Finding(
        message=f"{prefix(place)}{case.program} and the whydied that supervised it were killed together; nothing "
        "shows by whom",
        certainty="likely",
        location=place,
        evidence=[
            Evidence(fact="end of the recording", value="no wait status, supervisor gone", source="RunStarted"),
            *memory,
            *seen,
        ],
        advice=["Look at the container's events or the scheduler's log at that time."],
    )
