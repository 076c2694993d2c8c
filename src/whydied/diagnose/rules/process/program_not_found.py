"""The program could not be started: its file or command does not exist or may not be run.

## What it detects
A script, module or command that `whydied run` was asked to start and could not.

## Why it happens
A misspelt name, another working directory than expected, or a file without the permission to run it.

## Evidence
The system's own answer when the program was looked up, and the names that exist beside it.

## How it is proved
The answer of the system is direct evidence: the finding is certain.

## Fix
Use the name that exists, or start from the directory in which the script lies.

## Known problems
A module given with `-m` is looked up by Python itself, so a missing one is an uncaught exception of Python's
instead.
"""

from __future__ import annotations

from whydied.diagnose.case import Case
from whydied.diagnose.finding import Culprit, Evidence, Finding

ROLE = "death"


def check(case: Case) -> Finding | None:
    missed = case.recording.not_started
    if missed is None:
        return None
    near = f"; did you mean {' or '.join(missed.near[:3])}?" if missed.near else ""
    return Finding(
        message=f"{missed.wanted}: {missed.reason}{near}",
        certainty="certain",
        culprit=Culprit(kind="file", name=missed.wanted, near=missed.near),
        evidence=[Evidence(fact="error from the system", value=missed.reason, source="ProgramNotStarted")],
        advice=[f"Did you mean {missed.near[0]}?"] if missed.near else ["Check the name and the working directory."],
    )
