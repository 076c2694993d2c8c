"""Two OpenMP runtimes were loaded into one process.

## What it detects
A process that Intel's or LLVM's OpenMP runtime ended because it found another copy of itself ("OMP: Error #15").

## Why it happens
Two packages bring their own copy of the runtime, often one from conda and one from pip.

## Evidence
The runtime's own words, with the names of both libraries; the wait status; the line that loaded the second.

## How it is proved
The runtime says it, and the process ended by SIGABRT: certain.

## Fix
Keep one runtime: install both packages from one place. KMP_DUPLICATE_LIB_OK lets both run, and may give wrong results.

## Known problems
The text is only known when the error output passed through us.

## References
microsoft/vscode-jupyter issue 9741; jupyter/notebook issue 6089.
"""

from __future__ import annotations

import signal

from whydied.diagnose.case import Case, prefix
from whydied.diagnose.catalogue.match import spoken
from whydied.diagnose.crash.ending_evidence import wait_status
from whydied.diagnose.finding import Culprit, Evidence, Finding
from whydied.texts import installation

ROLE = "cause"


def check(case: Case) -> Finding | None:
    aborted = case.signal == signal.SIGABRT and case.uncaught is None
    found = installation.OPENMP_TWICE.search(spoken(case)) if aborted else None
    if found is None:
        return None
    place, seen = case.fault_location()
    first, second = found["first"].rstrip("."), found["second"]
    return Finding(
        message=f"{prefix(place)}the OpenMP runtime {second} was loaded although {first} was already loaded; it then "
        "aborts the process",
        certainty="certain",
        location=place,
        culprit=Culprit(kind="library", name=second, near=[first]),
        evidence=[Evidence(fact="message", value=found[0], source="OutputWritten"), wait_status(case), *seen],
        advice=[
            "Keep one runtime: install both packages with pip, or both with conda; `whydied doctor` names them.",
            "KMP_DUPLICATE_LIB_OK=TRUE only hides it: results may be wrong.",
        ],
    )
