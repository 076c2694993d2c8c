"""The user's line with its neighbours, as recorded, or of an older report from the source file as it is now. Runs where
a report is drawn.

Invariant: only a regular file of a sensible size is opened, so that a report never blocks on a pipe
or a device; a file that has changed since the run is not shown as what ran.
"""

from __future__ import annotations

import os
import stat
from typing import NamedTuple

from whydied.diagnose.finding import Location

_LARGEST_FILE_BYTES = 8 << 20


class SourceLine(NamedTuple):
    number: int
    text: str
    marked: bool


class Excerpt(NamedTuple):
    """`remark` says why the neighbours are missing, where they are."""

    lines: list[SourceLine]
    remark: str | None = None


def excerpt(location: Location, around: int = 2) -> Excerpt:
    """The statement's first line, marked, with up to `around` lines on each side; empty where nothing is
    known."""
    recorded = (location.source or "").split("\n")[0].rstrip()
    alone = [SourceLine(location.line, recorded, True)] if recorded.strip() else []
    if location.around or location.cell is not None:
        first = location.around_line
        shown = [SourceLine(first + at, text, first + at == location.line) for at, text in enumerate(location.around)]
        near = [line for line in shown if abs(line.number - location.line) <= around]
        return Excerpt(_without_blank_ends(near) or alone)
    lines = _file_lines(location.file)
    if lines is None:
        return Excerpt(alone, "the file cannot be read now" if alone else None)
    here = location.line - 1
    if not 0 <= here < len(lines):
        return Excerpt(alone, "the file has changed since")
    if recorded.strip() and lines[here].strip() != recorded.strip():
        return Excerpt(alone, "the file has changed since")
    first, last = max(0, here - around), min(len(lines), here + around + 1)
    shown = [SourceLine(at + 1, lines[at], at == here) for at in range(first, last)]
    return Excerpt(_without_blank_ends(shown))


def _without_blank_ends(lines: list[SourceLine]) -> list[SourceLine]:
    while lines and not lines[0].text.strip() and not lines[0].marked:
        lines = lines[1:]
    while lines and not lines[-1].text.strip() and not lines[-1].marked:
        lines = lines[:-1]
    return lines


def _file_lines(path: str) -> list[str] | None:
    try:
        fd = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
    except (OSError, ValueError):
        return None
    try:
        status = os.fstat(fd)
        if not stat.S_ISREG(status.st_mode) or status.st_size > _LARGEST_FILE_BYTES:
            return None
        with os.fdopen(os.dup(fd), "rb") as file:
            data = file.read(_LARGEST_FILE_BYTES)
    except OSError:
        return None
    finally:
        os.close(fd)
    text = data.decode("utf-8-sig", "replace")
    return text.replace("\r\n", "\n").replace("\r", "\n").split("\n")
