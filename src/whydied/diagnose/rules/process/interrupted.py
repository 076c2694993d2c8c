"""A person stopped the run from the keyboard (SIGINT, Ctrl-C).

## What it detects
A program that ended by SIGINT, or by a KeyboardInterrupt that nobody caught; a notebook's kernel that was shut down
while a cell was running, which Jupyter interrupts first.

## Why it happens
Ctrl-C was pressed, or a tool sent SIGINT.

## Evidence
The wait status or the KeyboardInterrupt, with the line at which it arrived; the sender where the signal came
through us.

## How it is proved
Direct evidence: certain.

## Fix
None is needed. Where the program seemed stuck, the line shows what it was doing.

## Known problems
A program that catches KeyboardInterrupt and exits with its own status is judged by that status.
"""

from __future__ import annotations

import signal

from whydied.diagnose.case import Case, prefix
from whydied.diagnose.crash.ending_evidence import sender, sender_evidence, wait_status
from whydied.diagnose.finding import Finding
from whydied.records import LineSampled

ROLE = "death"
YIELDS_TO = ("killed-from-outside",)


def check(case: Case) -> Finding | None:
    if case.shut_down_in is not None:
        return _shut_down(case)
    raised = case.uncaught
    by_exception = raised is not None and raised.chain[0].type == "KeyboardInterrupt"
    if case.signal != signal.SIGINT and not (by_exception and case.exit_code not in (0, None)):
        return None
    place, seen = case.last_seen()
    if raised is not None and by_exception:
        place = case.locate_exception(raised.chain[:1]) or place
        seen = []
    return Finding(
        message=f"{prefix(place)}{case.program} was interrupted ({_by(case)})",
        certainty="certain",
        location=place,
        evidence=[wait_status(case), *sender_evidence(case, signal.SIGINT), *seen],
    )


def _shut_down(case: Case) -> Finding:
    sampled = [line for line in case.records.all(LineSampled) if line.thread == "main" and line.frames]
    place = case.locate_user(sampled[-1].frames) if sampled else None
    return Finding(
        message=f"{prefix(place)}the notebook kernel was shut down while this cell was running",
        certainty="certain",
        location=place,
        evidence=[wait_status(case)],
    )


def _by(case: Case) -> str:
    received = [received for received in case.recording.signals_received if received.signal == signal.SIGINT]
    if received and received[-1].from_terminal:
        return "Ctrl-C"
    asked = case.exit_request
    if asked is not None and asked.signal == signal.SIGINT:
        return f"SIGINT, which it sent to itself with {asked.how}"
    return f"SIGINT from {sender(case, signal.SIGINT)}" if received else "SIGINT"
