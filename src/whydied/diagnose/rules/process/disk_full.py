"""There was no room left to write: the disk, a quota, or the file-size limit.

## What it detects
An uncaught OSError with ENOSPC, EDQUOT or EFBIG, TensorFlow's own errors that carry these texts, or SIGXFSZ.

## Why it happens
Checkpoints, logs or caches filled the file system, a quota ended, or `ulimit -f` bounds the size of a file.

## Evidence
The exception with its file, the free space in the last sample, the line that wrote.

## How it is proved
The system's own error number is direct evidence: certain.

## Fix
Free space, write elsewhere, keep fewer checkpoints, or raise the limit.

## Known problems
The free space is that of the working directory and the recording, which may be another file system than the
one that is full.

## References
write(2), setrlimit(2).
"""

from __future__ import annotations

import errno
import signal

from whydied import words
from whydied.diagnose.case import Case, prefix, root_of
from whydied.diagnose.crash.ending_evidence import wait_status
from whydied.diagnose.finding import Culprit, Evidence, Finding
from whydied.texts import allocators
from whydied.texts.entry import any_of

_WORDS = {
    errno.ENOSPC: "no space left on device",
    errno.EDQUOT: "disk quota exceeded",
    errno.EFBIG: "file size limit (RLIMIT_FSIZE) reached",
}
_TEXT = any_of(allocators.DISK_IS_FULL, allocators.QUOTA_EXCEEDED)

ROLE = "death"
YIELDS_TO = ("segmentation-fault", "native-abort", "illegal-instruction", "bus-error", "arithmetic-fault")


def check(case: Case) -> Finding | None:
    if case.signal == signal.SIGXFSZ:
        place, seen = case.fault_location()
        return Finding(
            message=f"{prefix(place)}{_WORDS[errno.EFBIG]}",
            certainty="certain",
            location=place,
            evidence=[wait_status(case), *seen],
            advice=["Raise the limit with `ulimit -f`."],
        )
    raised = case.uncaught
    if raised is None:
        return None
    link = raised.chain[root_of(raised.chain)]
    number = link.errno
    if number not in _WORDS:
        if not _TEXT.search(link.message):
            return None
        number = errno.EDQUOT if allocators.QUOTA_EXCEEDED.search(link.message) else errno.ENOSPC
    place = case.locate_exception([link, *raised.chain])
    sample = case.last_sample
    free_bytes = sample.machine.disk_free_bytes if sample else None
    free = (
        [Evidence(fact="free space at the last sample", value=words.size(free_bytes), source="MachineSampled")]
        if free_bytes is not None
        else []
    )
    target = f" for {link.filename}" if link.filename else ""
    return Finding(
        message=f"{prefix(place)}{_WORDS[number]}{target}",
        certainty="certain",
        location=place,
        culprit=Culprit(kind="file", name=link.filename) if link.filename else None,
        evidence=[
            Evidence(fact="exception", value=f"{link.type}: {link.message}", source="ExceptionRaised"),
            *free,
        ],
        advice=["Free space or write elsewhere; keep fewer checkpoints."],
    )
