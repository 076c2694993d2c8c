"""The program was killed (SIGKILL), and there is no sign that memory was the reason.

## What it detects
A program that ended by SIGKILL while no counter of the kernel's OOM killer moved and memory was not short.

## Why it happens
A person or a script used `kill -9`, a scheduler or a container runtime ended the job, or a memory watcher in
user space (earlyoom, systemd-oomd) acted. The program itself may have sent it.

## Evidence
The wait status; the OOM counters before and after, which did not move; the memory in the last sample against
its limit; the line at which the main thread was last seen. A signal that the program sent to itself is named
with its line.

## How it is proved
SIGKILL is certain. That the kernel's OOM killer did not send it is certain only where its counters could be
read, else the finding is "possible". The system does not tell who sends SIGKILL, so no sender is named.

## Fix
Look where jobs are ended: the scheduler's log, the container's events, the service manager's journal.

## Known problems
A kill by the RLIMIT_CPU hard limit looks the same where the limit was not seen.

## References
kill(2), signal(7).
"""

from __future__ import annotations

import signal

from whydied import words
from whydied.diagnose.case import Case, prefix
from whydied.diagnose.crash.ending_evidence import kernel_lines, wait_status
from whydied.diagnose.finding import Evidence, Finding
from whydied.records import OomCounted

ROLE = "death"
YIELDS_TO = ("whole-group-died",)


def check(case: Case) -> Finding | None:
    if case.signal != signal.SIGKILL:
        return None
    place, seen = case.last_seen()
    asked = case.exit_request
    if asked is not None and asked.signal == signal.SIGKILL:
        place = case.locate_user(asked.frames) or place
        return Finding(
            message=f"{prefix(place)}{case.program} killed itself: it sent SIGKILL with {asked.how}",
            certainty="certain",
            location=place,
            evidence=[wait_status(case), Evidence(fact="called", value=asked.how, source="ExitRequested")],
        )
    counters = case.recording.supervisor.all(OomCounted)
    moved = {(counter.scope, counter.path): by for counter, by in case.recording.oom_kills()}
    counted = [counter for counter in counters if counter.moment == "end"]
    unmoved = [
        Evidence(
            fact=f"OOM kills counted ({counter.scope})",
            value=_kills(counter, moved),
            source="OomCounted",
        )
        for counter in counted
    ]
    return Finding(
        message=f"{prefix(place)}{case.program} was killed (SIGKILL) by another process; "
        + _doubt(bool(counted), bool(moved)),
        certainty="likely" if counted else "possible",
        location=place,
        evidence=[wait_status(case), *unmoved, *_memory(case), *seen, *kernel_lines(case)],
        advice=[
            "The system does not record who sends SIGKILL: look at the scheduler, the container's events, other users.",
        ],
    )


def _kills(counter: OomCounted, moved: dict[tuple[str, str | None], int]) -> str:
    by = moved.get((counter.scope, counter.path))
    return f"{counter.kills}, {by} more than before, all of other processes" if by else f"{counter.kills}, as before"


def _doubt(counted: bool, moved: bool) -> str:
    if moved:
        return "the kernel's OOM killer killed another process in that time, and memory was not short here"
    return "the kernel's OOM killer did not do it" if counted else "nothing shows which one"


def _memory(case: Case) -> list[Evidence]:
    sample, limit = case.last_sample, case.recording.limit
    if sample is None:
        return []
    of = f" of {words.size(limit.limit_bytes)} ({limit.kind})" if limit else ""
    return [
        Evidence(fact="memory at the last sample", value=words.size(sample.rss_bytes) + of, source="MachineSampled")
    ]
