"""The program ended by a signal that has no rule of its own.

## What it detects
A death by any signal that no other rule explains: SIGQUIT, SIGPIPE, SIGALRM, SIGUSR1, SIGSYS, SIGTRAP and
others.

## Why it happens
It depends on the signal; its name and standard meaning are given.

## Evidence
The wait status, the sender where the signal came through us, the line that was running.

## How it is proved
The wait status is direct evidence: certain.

## Fix
Depends on the signal.

## Known problems
None known.

## References
signal(7).
"""

from __future__ import annotations

import signal

from whydied.diagnose.case import Case, prefix
from whydied.diagnose.crash.ending_evidence import kernel_lines, sender_evidence, wait_status
from whydied.diagnose.finding import Evidence, Finding

ROLE = "death"
YIELDS_TO = ("disk-full",)


def check(case: Case) -> Finding | None:
    if case.signal is None:
        return None
    place, seen = case.fault_location()
    asked = case.exit_request
    if asked is not None and asked.signal == case.signal:
        place = case.locate_user(asked.frames) or place
        seen = [Evidence(fact="sent by the program itself", value=asked.how, source="ExitRequested")]
    try:
        meaning = signal.strsignal(case.signal) or ""
    except ValueError:
        meaning = ""
    return Finding(
        message=f"{prefix(place)}{case.program} was killed by "
        f"{case.signal_name}" + (f" ({meaning})" if meaning else ""),
        certainty="certain",
        location=place,
        evidence=[wait_status(case), *sender_evidence(case, case.signal), *seen, *kernel_lines(case)],
    )
