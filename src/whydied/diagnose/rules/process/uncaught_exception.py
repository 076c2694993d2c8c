"""An exception that nobody caught ended the program.

## What it detects
Any uncaught exception of the main thread that no more special rule explains, of plain Python too: a misspelt
name, a missing key, file or module, a wrong argument, an index out of range.

## Why it happens
It depends on the exception. Where the recorder saw what was looked up and what exists, the nearest name that
exists is given.

## Evidence
The exception with its whole chain and, of the failing statement, the parts with their types, sizes and plain
values, recorded while the frames were alive. A wrapped exception is followed to its root: an explicit cause
(`raise … from`) always, an implicit context only where the program raised the later exception on purpose.

## How it is proved
The recorded exception is direct evidence: certain. Where no recorder was inside, it is read from the printed
traceback: likely. Below a wrapper (a shell script) that ended with a status of its own, the exception of the last
process is only possibly the reason.

## Fix
The near name, the length of the sequence, the files that exist: see the advice of the finding.

## Known problems
The line is the innermost one of the user's own code; for an error inside a library that is the call, not the
mistake that led to it.

## References
None.
"""

from __future__ import annotations

from whydied.diagnose.case import Case, prefix, root_of
from whydied.diagnose.endings import wait_status
from whydied.diagnose.exceptions import advice_for, culprit_of, describe, evidence_of
from whydied.diagnose.finding import Finding


def check(case: Case) -> Finding | None:
    """The exception that surfaced."""
    return _finding(case, 0)


def check_root(case: Case) -> Finding | None:
    """The exception at the root of the chain, where it is another one."""
    raised = case.uncaught
    root = root_of(raised.chain) if raised else 0
    return _finding(case, root) if root else None


def _finding(case: Case, index: int) -> Finding | None:
    raised = case.uncaught
    if raised is None or (case.exit_code in (0, None) and case.signal is None):
        return None
    link = raised.chain[index]
    # A root that was raised and caught inside a library has no frame of the user's: the call into it is what there is.
    place = case.locate_exception([link, *reversed(raised.chain[:index])])
    return Finding(
        message=f"{prefix(place)}{describe(link)}",
        certainty="certain" if case.principal else "likely" if case.exit_code == 1 else "possible",
        location=place,
        culprit=culprit_of(link),
        evidence=[*evidence_of(link, raised), *([wait_status(case)] if index == 0 else [])],
        advice=advice_for(link),
    )
