"""The program used up the processor time that it was allowed (SIGXCPU, RLIMIT_CPU).

## What it detects
A program that ended by SIGXCPU, or by SIGKILL when its processor time had reached the hard limit of
RLIMIT_CPU.

## Why it happens
`ulimit -t`, a scheduler or the program itself set RLIMIT_CPU.

## Evidence
The wait status, the processor time used, the limit where it was seen, the line that was running.

## How it is proved
SIGXCPU is sent by the kernel for this reason alone unless a person sends it: certain. A SIGKILL at the hard
limit is likely.

## Fix
Raise the limit (`ulimit -t`), or ask the scheduler for more processor time. All threads count together.

## Known problems
None known.

## References
setrlimit(2).
"""

from __future__ import annotations

import signal

from whydied import words
from whydied.diagnose.case import Case, prefix
from whydied.diagnose.crash.ending_evidence import wait_status
from whydied.diagnose.finding import Evidence, Finding
from whydied.records import RlimitsSeen

ACCOUNTING_S = 0.1
"""The kernel holds the limit against ticks, which run a little ahead of the time that it accounts in the end."""

ROLE = "death"
YIELDS_TO = ("machine-went-down",)


def check(case: Case) -> Finding | None:
    ended = case.ended
    seen_limits = case.recording.supervisor.last(RlimitsSeen)
    used_s = (ended.user_s or 0.0) + (ended.system_s or 0.0) if ended else 0.0
    hard_s = seen_limits.cpu_hard_s if seen_limits else None
    by_kill = case.signal == signal.SIGKILL and hard_s is not None and used_s >= hard_s - ACCOUNTING_S
    if case.signal != signal.SIGXCPU and not by_kill:
        return None
    place, seen = case.fault_location()
    soft_s = seen_limits.cpu_soft_s if seen_limits else None
    allowed_s = soft_s if soft_s is not None else hard_s
    of = f" of {words.duration(allowed_s)}" if allowed_s is not None else ""
    return Finding(
        message=f"{prefix(place)}{case.program} used {words.duration(used_s)} of CPU time, its limit{of} (RLIMIT_CPU)",
        certainty="likely" if by_kill else "certain",
        location=place,
        evidence=[
            wait_status(case),
            Evidence(fact="CPU time used", value=words.duration(used_s), source="ProgramEnded"),
            *seen,
        ],
        advice=["Raise the limit with `ulimit -t`, or ask the scheduler for more; the time of all threads adds up."],
    )
