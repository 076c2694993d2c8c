"""A process that the program had started died, and the program failed because of it.

## What it detects
A worker or a command that ended badly (killed by the OOM killer, crashed, an exception) while the error of
the main program only says that a pool is broken, a pipe is closed or a command failed, that it waited in vain
(`queue.Empty`, a timeout), or is raised over what had become of a process (`if worker.exitcode: raise …`); or
while the main program waits for its result until the run is ended.

## Why it happens
The program's own error is a consequence: the reason lies in the child.

## Evidence
The child's own recording: its exception, its crash dump, or an end without a word; the OOM counters and the
kernel's log.

## How it is proved
The child's exception or crash dump, or a line of the kernel's log that names it, is direct evidence: certain.
An end without a word together with a counter that moved is likely, and so is an error that does not name the
child.

## Fix
Mend what ended the child; the line is the child's.

## Known problems
A child that is no Python program leaves no recording: only the kernel's log can name it. In a run that hung,
a child whose recording stops without a word is taken as killed by SIGKILL, which is what leaves none.
"""

from __future__ import annotations

from whydied.diagnose.case import Case, prefix
from whydied.diagnose.crash.children import failed_child, names_a_child
from whydied.diagnose.crash.ending_evidence import wait_status
from whydied.diagnose.finding import Evidence, Finding, Location

ROLE = "cause"
YIELDS_TO = ("thread-died",)


def check(case: Case) -> Finding | None:
    child = failed_child(case)
    if child is None:
        return None
    place, seen = _where(child)
    how = f"ended by {child.signal_name}" if child.signal else "ended by an uncaught exception"
    # That the child failed is seen; that the program failed for it is seen only where its error says so.
    sure = names_a_child(case) and child.ended is not None and child.ended.from_ != "OomCounted"
    return Finding(
        message=f"{prefix(place)}{child.program} of {case.program} {how}",
        certainty="certain" if sure else "likely",
        location=place,
        evidence=[wait_status(child), *seen],
        advice=["The main program's error is a consequence: fix what ended the child process."],
    )


def _where(child: Case) -> tuple[Location | None, list[Evidence]]:
    """The line at which the child ended, as near as its own recording tells it."""
    if child.uncaught is not None and (place := child.locate_exception(child.uncaught.chain)) is not None:
        return place, []
    asked = child.exit_request
    place = child.locate_user(asked.frames) if asked is not None and asked.signal else None
    return (place, []) if place else child.fault_location()
