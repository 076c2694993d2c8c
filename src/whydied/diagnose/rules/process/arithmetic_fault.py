"""An integer was divided by zero, or overflowed, in native code (SIGFPE).

## What it detects
A process that ended by SIGFPE.

## Why it happens
Integer division by zero in compiled code, for example a size or stride of 0 that a kernel does not check.

## Evidence
[evidence of a crash]

The divisor, where it was in a register.

## How it is proved
[proof of a crash]

## Fix
Check the shapes and integer arguments on the line shown for zeros.

## Known problems
None known.
"""

from __future__ import annotations

import signal

from whydied.diagnose.case import Case
from whydied.diagnose.crash.ending_evidence import CRASH_TEXTS, crash
from whydied.diagnose.crash.native_crash import blamed, crash_of, frame_words, kernel_of
from whydied.diagnose.finding import Culprit, Finding
from whydied.records import CrashSeen

_BY_ZERO = 1
"""FPE_INTDIV: what the kernel says of every division that the processor refuses."""

TEXTS = CRASH_TEXTS
ROLE = "death"
YIELDS_TO = ("device-memory-exhausted",)


def check(case: Case) -> Finding | None:
    if case.signal != signal.SIGFPE:
        return None
    seen = crash_of(case)
    frame = blamed(seen) if seen is not None else None
    kernel = kernel_of(case)
    where = f": {frame_words(frame)}" if frame else ""
    running = f" in {kernel}" if kernel and (frame is None or kernel not in frame.function) else ""
    return crash(
        case,
        f"{_what(seen)} in native code (SIGFPE){where}{running}",
        ["Check the integer arguments (sizes, strides, groups) on that line for zeros."],
        culprit=Culprit(kind="native function", name=frame.function) if frame and frame.function else None,
    )


def _what(seen: CrashSeen | None) -> str:
    if seen is None or seen.divisor == 0:
        return "divided an integer by zero"
    if seen.code != _BY_ZERO:
        return "caused an arithmetic fault"
    if seen.divisor == -1:
        return "divided the smallest integer by -1, which overflows,"
    if seen.divisor is not None:
        return f"divided an integer by {seen.divisor} with an overflowing result"
    return "divided an integer by zero, or with an overflowing result,"
