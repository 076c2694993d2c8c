"""Native code gave up on purpose: a failed check, a damaged heap, `abort()` (SIGABRT).

## What it detects
A process that ended by SIGABRT.

## Why it happens
A C++ CHECK that failed (TensorFlow prints `Check failed`), the C library's heap checks (`free(): invalid
pointer`), an exception that left C++ code (`terminate called`), a panic of Rust, an interpreter that gave up (`Fatal
Python error`), or `os.abort()`.

## Evidence
[evidence of a crash]

## How it is proved
[proof of a crash]

## Fix
Read the last words in the evidence: they carry the check that failed. Validate the sizes and values that go
into the call on the line shown.

## Known problems
The text is only known when the error output passed through us, so not for programs watched with
`whydied.start()`.
"""

from __future__ import annotations

import signal

from whydied.diagnose.case import Case
from whydied.diagnose.catalogue.match import words_of
from whydied.diagnose.crash.ending_evidence import CRASH_TEXTS, crash, last_words
from whydied.diagnose.crash.native_crash import fault_words
from whydied.diagnose.finding import Finding

TEXTS = CRASH_TEXTS
ROLE = "death"
YIELDS_TO = ("device-memory-exhausted",)


def check(case: Case) -> Finding | None:
    if case.signal != signal.SIGABRT:
        return None
    words = words_of(case)
    return crash(
        case,
        "was aborted by native code (SIGABRT)" + (f": {words.sentence}" if words else fault_words(case)),
        ["The last lines of output name the check that failed; the line is the call that ran into it."]
        if words
        else ["The line is the call that ran into it; native code that aborts usually says why on stderr."],
        extra=last_words(
            case,
            r"(?i)check fail|^F\d{4}|^\d{4}-.*: F |terminate called|what\(\):"
            r"|free\(\)|malloc|corrupt|double free|assert|abort|fatal",
        ),
    )
