"""The processor met an instruction that it does not have (SIGILL).

## What it detects
A process that ended by SIGILL.

## Why it happens
The installed binary was built for a newer processor (AVX, AVX2, AVX-512), often seen at the first import of
TensorFlow on old or virtual machines.

## Evidence
The wait status of the process; the Python stack that faulthandler wrote while dying (of the main thread where the one
that crashed ran no Python, else the line at which the sampler last saw it); the native frames, the op and the address,
from the registers and the stack that our handler kept (x86_64); the call into Keras that was running, with its epoch
and step; the kernel's log where it may be read.

## How it is proved
The wait status is direct evidence of the signal: the finding is certain. What made it happen is not decided
here.

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
from whydied.diagnose.crash.ending_evidence import crash
from whydied.diagnose.crash.instructions import is_trap
from whydied.diagnose.crash.native_crash import crash_of, frame_words
from whydied.diagnose.finding import Finding

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
