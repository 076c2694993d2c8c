"""The processor met an instruction that it does not have (SIGILL).

## What it detects
A process that ended by SIGILL.

## Why it happens
The installed binary was built for a newer processor (AVX, AVX2, AVX-512), often seen at the first import of
TensorFlow on old or virtual machines.

## Evidence
The wait status of the process, the Python stack that faulthandler wrote while dying (else the line at which
the sampler last saw the main thread), and the kernel's log where it may be read.

## How it is proved
The wait status is direct evidence of the signal: the finding is certain. What made it happen is not decided
here.

## Fix
Use a build for this processor, or another machine; `whydied doctor` lists what the processor has.

## Known problems
Some libraries use SIGILL as a trap for internal errors.

## References
tensorflow/tensorflow issues 17411 and 45744.
"""

from __future__ import annotations

import signal

from whydied.diagnose.case import Case
from whydied.diagnose.endings import crash
from whydied.diagnose.finding import Finding


def check(case: Case) -> Finding | None:
    if case.signal != signal.SIGILL:
        return None
    return crash(
        case,
        "ran an instruction that this processor does not have (SIGILL)",
        ["If this is an import line, the installed binary needs a newer processor: see `whydied doctor`."],
    )
