"""An integer was divided by zero, or overflowed, in native code (SIGFPE).

## What it detects
A process that ended by SIGFPE.

## Why it happens
Integer division by zero in compiled code, for example a size or stride of 0 that a kernel does not check.

## Evidence
The wait status of the process, the Python stack that faulthandler wrote while dying (else the line at which
the sampler last saw the main thread), and the kernel's log where it may be read.

## How it is proved
The wait status is direct evidence of the signal: the finding is certain. What made it happen is not decided
here.

## Fix
Check the shapes and integer arguments on the line shown for zeros.

## Known problems
None known.

## References
None.
"""

from __future__ import annotations

import signal

from whydied.diagnose.case import Case
from whydied.diagnose.endings import crash
from whydied.diagnose.finding import Finding


def check(case: Case) -> Finding | None:
    if case.signal != signal.SIGFPE:
        return None
    return crash(
        case,
        "divided an integer by zero in native code (SIGFPE)",
        ["Check the integer arguments (sizes, strides, groups) on that line for zeros."],
    )
