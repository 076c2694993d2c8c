"""The pictures that a program could not decode, found among the files that its recording names. Runs in the parent.

Invariant: a file is looked at by its first and last bytes only, up to a time for all of them; nothing is
decoded.
"""

from __future__ import annotations

import os
import time

from whydied import redact
from whydied.read.recording import Recording
from whydied.records import BadFile, PicturesLooked, PicturesNamed

LONGEST_S = 2.0
LARGEST_TOLD = 20
_TAIL = 1024
_KINDS = (
    (b"\xff\xd8\xff", "JPEG", b"\xff\xd9"),
    (b"\x89PNG\r\n\x1a\n", "PNG", b"IEND"),
    (b"GIF8", "GIF", b""),
    (b"BM", "BMP", b""),
    (b"RIFF", "WebP", b""),
    (b"\xff\x0a", "JPEG XL", b""),
    (b"\x00\x00\x00\x0cJXL ", "JPEG XL", b""),
)


def looked_at(recording: Recording) -> PicturesLooked | None:
    """What is wrong with the files that are named; None where nothing is."""
    until = time.monotonic() + LONGEST_S
    bad: list[BadFile] = []
    looked = 0
    for named in [record for process in recording.processes for record in process.all(PicturesNamed)]:
        for name in named.names:
            if time.monotonic() > until:
                break
            try:
                found = examined(os.path.join(named.directory, name))
            except (OSError, ValueError):
                continue
            looked += 1
            if found is not None and found.reason in named.reasons:
                bad.append(found)
    return PicturesLooked(looked=looked, bad=len(bad), files=bad[:LARGEST_TOLD]) if bad else None


def examined(path: str) -> BadFile | None:
    """What is wrong with a file as a picture, by its beginning and its end."""
    size = os.path.getsize(path)
    with open(path, "rb") as stream:
        head = stream.read(16)
        stream.seek(max(0, size - _TAIL))
        tail = stream.read(_TAIL)
    name = redact.text(os.path.abspath(path))
    if not head:
        return BadFile(path=name, reason="empty", size_bytes=0)
    for begin, kind, end in _KINDS:
        if head.startswith(begin):
            return None if end in tail else BadFile(path=name, reason="cut", kind=kind, size_bytes=size)
    return BadFile(path=name, reason="other", begins=repr(head)[2:-1], size_bytes=size)
