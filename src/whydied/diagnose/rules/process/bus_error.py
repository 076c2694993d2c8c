"""Memory was touched that nothing stands behind any more (SIGBUS).

## What it detects
A process that ended by SIGBUS.

## Why it happens
A mapped file that became shorter, a full /dev/shm (shared memory of worker processes), or a disk that failed
while a mapped file was read.

## Evidence
The wait status of the process, the Python stack that faulthandler wrote while dying (else the line at which
the sampler last saw the main thread), and the kernel's log where it may be read.

## How it is proved
The wait status is direct evidence of the signal: the finding is certain. What made it happen is not decided
here.

## Fix
Give /dev/shm more room (containers often have 64 MiB), or do not truncate a file while it is mapped.

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
    if case.signal != signal.SIGBUS:
        return None
    return crash(
        case,
        "touched memory that nothing stands behind (SIGBUS)",
        ["Look for a file that shrank while it was mapped, and for a full /dev/shm: `whydied doctor` shows its size."],
    )
