"""A process that the program had started died, and the program failed because of it.

## What it detects
A worker or a command that ended badly (killed by the OOM killer, crashed, an exception) while the error of
the main program only says that a pool is broken, a pipe is closed or a command failed.

## Why it happens
The program's own error is a consequence: the reason lies in the child.

## Evidence
The child's own recording: its exception, its crash dump, or an end without a word; the OOM counters and the
kernel's log.

## How it is proved
The child's exception or crash dump, or a line of the kernel's log that names it, is direct evidence: certain.
An end without a word together with a counter that moved is likely.

## Fix
Mend what ended the child; the line is the child's.

## Known problems
A child that is no Python program leaves no recording: only the kernel's log can name it.

## References
None.
"""

from __future__ import annotations

import re

from whydied.diagnose.case import Case, prefix, root_of
from whydied.diagnose.exceptions import culprit_of, describe, evidence_of
from whydied.diagnose.finding import Certainty, Evidence, Finding, Location
from whydied.read.recording import ProcessView

_CONSEQUENCES = {
    "BrokenProcessPool",
    "CalledProcessError",
    "BrokenPipeError",
    "ConnectionResetError",
    "EOFError",
    "TerminatedWorkerError",
}


def check(case: Case) -> Finding | None:
    if not _consequence(case):
        return None
    for child in reversed(case.recording.processes):
        if child is not case.principal and (finding := _explain(case, child)):
            return finding
    return None


def _consequence(case: Case) -> bool:
    """Whether the program's own end says that a child's end was the reason."""
    raised = case.uncaught
    if raised is not None:
        return any(link.type in _CONSEQUENCES for link in raised.chain)
    return bool(case.exit_code) or (bool(case.recording.oom_kills()) and case.signal is None)


def _explain(case: Case, child: ProcessView) -> Finding | None:
    child_case = Case(case.recording, child)
    fault = child_case.fault
    certainty: Certainty = "certain"
    evidence: list[Evidence]
    place: Location | None
    if raised := child.uncaught:
        link = raised.chain[root_of(raised.chain)]
        place, what, evidence = (
            child_case.locate_exception([link, *raised.chain]),
            describe(link),
            evidence_of(link, raised),
        )
    elif fault and fault.reason:
        place, evidence = child_case.fault_location()
        what = f"crashed: {fault.reason}"
    elif killed := [
        line for line in case.recording.kernel_lines if re.search(rf"[Kk]illed process {child.pid}\b", line)
    ]:
        place, evidence = child_case.last_seen()
        what = "was ended by the kernel's OOM killer"
        evidence = [Evidence(fact="the kernel's log", value=killed[-1], source="KernelLogged"), *evidence]
    elif case.recording.oom_kills() and not child.exited_orderly and not child.exit_request:
        place, evidence = child_case.last_seen()
        what, certainty = "ended without a word while the kernel's OOM killer acted", "likely"
    else:
        return None
    return Finding(
        message=f"{prefix(place)}the child process {child.pid} of {case.program} {_join(what)}",
        certainty=certainty,
        location=place,
        culprit=culprit_of(child.uncaught.chain[root_of(child.uncaught.chain)]) if child.uncaught else None,
        evidence=evidence,
        advice=["The main program's error is a consequence: mend what ended the child."],
    )


def _join(what: str) -> str:
    return what if what.startswith(("crashed", "was", "ended")) else f"ended by {what}"
