"""Native code read or wrote memory that is not its own (SIGSEGV).

## What it detects
A process that ended by SIGSEGV.

## Why it happens
A bug in compiled code, two binaries that do not fit each other, a stack that overflowed (very deep
recursion), or a wrong pointer handed over through ctypes.

## Evidence
The wait status of the process, the Python stack that faulthandler wrote while dying (else the line at which
the sampler last saw the main thread), and the kernel's log where it may be read.

## How it is proved
The wait status is direct evidence of the signal: the finding is certain. What made it happen is not decided
here.

## Fix
Look at the Python line first: it names the call into native code. Try the newest patch release of the library
that it belongs to.

## Known problems
The native frame is not named. A fault while the stack is exhausted may leave no Python stack.

## References
None.
"""

from __future__ import annotations

import signal

from whydied.diagnose.case import Case
from whydied.diagnose.endings import crash
from whydied.diagnose.finding import Finding


def check(case: Case) -> Finding | None:
    if case.signal != signal.SIGSEGV:
        return None
    return crash(
        case,
        "crashed in native code (SIGSEGV)",
        [
            "The line above called the native code that crashed; its arguments are the first thing to check.",
            "Check for mismatched binaries with `whydied doctor`.",
        ],
    )
