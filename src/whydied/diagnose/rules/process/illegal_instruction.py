"""The processor met an instruction that it does not have (SIGILL).

## What it detects
A process that ended by SIGILL.

## Why it happens
The installed binary was built for a newer processor (AVX, AVX2, AVX-512), often seen at the first import of
TensorFlow on old or virtual machines.

## Evidence
[evidence of a crash]

## How it is proved
[proof of a crash]

## Fix
Use a build for this processor, or another machine; `whydied doctor` lists what the processor has.

## Known problems
Some libraries use SIGILL as a trap for internal errors; where the instruction is known to be that, it is said.

## References
tensorflow/tensorflow issues 17411 and 45744.
"""

from __future__ import annotations

import signal

from whydied.diagnose.case import Case
from whydied.diagnose.crash.ending_evidence import CRASH_TEXTS, crash
from whydied.diagnose.crash.instructions import is_trap
from whydied.diagnose.crash.native_crash import crash_of, frame_words
from whydied.diagnose.finding import Finding

TEXTS = CRASH_TEXTS
ROLE = "death"
YIELDS_TO = ("device-memory-exhausted",)


def check(case: Case) -> Finding | None:
    if case.signal != signal.SIGILL:
        return None
    seen = crash_of(case)
    frame = seen.frames[0] if seen is not None and seen.frames else None
    where = f": {frame_words(frame)}" if frame and frame.library else ""
    if seen is not None and is_trap(seen.instruction):
        return crash(
            case,
            f"hit a trap that native code sets for impossible states (SIGILL){where}",
            [
                "The compiler or the author put the trap there for a state that should be impossible: check the "
                "arguments."
            ],
        )
    return crash(
        case,
        f"ran an instruction that this processor does not have (SIGILL){where}",
        ["If this is an import line, the installed binary needs a newer processor: see `whydied doctor`."],
    )
