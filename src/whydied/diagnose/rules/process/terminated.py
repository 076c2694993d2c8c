"""Somebody or something asked the program to end (SIGTERM, SIGHUP), and it did.

## What it detects
A program that ended by SIGTERM or SIGHUP, or that exited with a status of its own shortly after such a
signal.

## Why it happens
A person used `kill`, a scheduler's time was over, a service or a container was stopped, or the terminal was
closed.

## Evidence
The wait status; the sender where the signal came through us, because the system tells a receiver who sent it;
the line that was running.

## How it is proved
The wait status is direct evidence: certain. An exit with a status of its own within 30 seconds after the
signal is likely. 30 seconds is the grace that container runtimes and schedulers commonly give before SIGKILL.

## Fix
None in the program. Look at the sender; for schedulers, ask for more time.

## Known problems
A signal sent straight to the program, not through `whydied run`, has no known sender.

## References
signal(7).
"""

from __future__ import annotations

import signal

from whydied.diagnose.case import Case, prefix, signal_name
from whydied.diagnose.crash.ending_evidence import UNSEEN, sender, sender_evidence, wait_status
from whydied.diagnose.finding import Evidence, Finding

ROLE = "death"
YIELDS_TO = ("interrupted",)


def check(case: Case) -> Finding | None:
    number = case.signal if case.signal in (signal.SIGTERM, signal.SIGHUP) else None
    answered = number is None
    if answered:
        number = case.stop_signal if case.exit_code and case.uncaught is None else None
    if number is None or number == signal.SIGINT:
        return None
    asked = case.exit_request
    own = asked is not None and asked.signal == number and asked.how.startswith("os.kill")
    place, seen = case.fault_location()
    by = sender(case, number)
    what = f"was terminated ({signal_name(number)}"
    if own and asked is not None:
        place = case.locate_user(asked.frames) or place
        seen = [
            Evidence(fact="sent by the program itself", value=asked.how, source="ExitRequested"),
            *seen,
        ]
        by = "the program itself"
    what += f" from {by})" if by else ")"
    if answered:
        what += f" and exited with status {case.exit_code}"
    return Finding(
        message=f"{prefix(place)}{case.program} {what}",
        certainty="likely" if answered else "certain",
        location=place,
        evidence=[wait_status(case), *sender_evidence(case, number), *seen],
        advice=[]
        if by and by != UNSEEN
        else ["Nothing in the recording shows who sent the signal: look at the scheduler or the container."],
    )
