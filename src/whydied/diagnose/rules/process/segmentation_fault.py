"""Native code read or wrote memory that is not its own (SIGSEGV).

## What it detects
A process that ended by SIGSEGV.

## Why it happens
A bug in compiled code, two binaries that do not fit each other, a stack that overflowed (very deep recursion, mostly
under a raised `sys.setrecursionlimit`), a wrong pointer handed over through ctypes, or two copies of one library in a
process, which mostly shows at an import.

## Evidence
[evidence of a crash]

## How it is proved
[proof of a crash]

## Fix
Look at the Python line first: it names the call into native code. Try the newest patch release of the library
that it belongs to.

## Known problems
Where the libraries carry no names, frames have only that of the library. A fault while the stack is exhausted may leave
no Python stack. A signal that another process sent is told as such.

## References
tensorflow/tensorflow issues 14812 and 57669 (a crash at an import after another package).
"""

from __future__ import annotations

import signal

import msgspec

from whydied.diagnose.case import Case
from whydied.diagnose.crash.ending_evidence import CRASH_TEXTS, crash
from whydied.diagnose.crash.native_crash import blamed, crash_of, fault_words, importing, package_of
from whydied.diagnose.crash.recursion_limit import raised_limit
from whydied.diagnose.finding import Culprit, Finding
from whydied.records import CrashSeen, NativeFrame

TEXTS = CRASH_TEXTS
ROLE = "death"
YIELDS_TO = ("device-memory-exhausted",)


def check(case: Case) -> Finding | None:
    if case.signal != signal.SIGSEGV:
        return None
    seen = crash_of(case)
    frame = blamed(seen) if seen is not None else None
    limit = raised_limit(case) if seen is not None and seen.memory == "stack" else None
    found = crash(
        case,
        f"crashed in native code (SIGSEGV){fault_words(case)}{limit.words if limit is not None else ''}",
        limit.advice if limit is not None else _advice(case, seen, frame),
        culprit=Culprit(kind="native function", name=frame.function) if frame and frame.function else None,
    )
    return msgspec.structs.replace(found, changes=limit.changes) if limit is not None else found


def _advice(case: Case, seen: CrashSeen | None, frame: NativeFrame | None) -> list[str]:
    if seen is not None and seen.memory == "stack":
        return [
            "Calls were nested deeper than the stack allows: look for endless recursion on this line.",
            "`ulimit -s`, or `threading.stack_size()` for a thread, gives more room if the depth is intended.",
        ]
    module = importing(case)
    if module is not None:
        return [
            f"Try a program that imports {module} alone: if that works, a package imported before it loads another "
            "copy of one of its libraries; import it first, or install both from the same source.",
            "Check for mismatched binaries with `whydied doctor`.",
        ]
    package = package_of(frame) if frame is not None else None
    version = case.recording.versions.get(package or "", "")
    own = (
        [f"The code that crashed belongs to {package} {version}".rstrip() + ": see its newest release."]
        if package
        else []
    )
    return [
        "This line called the native code that crashed; check its arguments first.",
        *own,
        "Check for mismatched binaries with `whydied doctor`.",
    ]
