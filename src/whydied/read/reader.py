"""Reads the streams of a run directory. Runs after death, in any process of ours but the user's.

Never raises for what a recording contains: a torn tail, a missing segment or a foreign file becomes a word in `torn`.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterable
from pathlib import Path
from typing import NamedTuple

from whydied import wire
from whydied.errors import RecordingError

SEGMENT = re.compile(r"(?P<stream>.+)\.(?P<lane>key|log)\.(?P<number>\d+)\.rec")


class StreamRead(NamedTuple):
    """All that could be read of one stream, in the order of writing. `missing` counts records that rotation dropped."""

    name: str
    pid: int
    entries: list[wire.Entry]
    torn: list[str]
    missing: int
    unknown: int


def read_streams(directory: Path) -> list[StreamRead]:
    """Every stream of a directory, by name."""
    lanes: dict[str, list[Path]] = {}
    try:
        names = sorted(os.listdir(directory))
    except OSError as error:
        raise RecordingError(
            f"cannot read the recording in {directory}: {error.strerror or error}",
            "name a run with `whydied show RUN`; `whydied runs` lists them",
        ) from error
    for name in names:
        match = SEGMENT.fullmatch(name)
        if match:
            lanes.setdefault(match["stream"], []).append(directory / name)
    return [_read_stream(name, paths) for name, paths in lanes.items()]


def _read_stream(name: str, paths: Iterable[Path]) -> StreamRead:
    entries: list[wire.Entry] = []
    torn: list[str] = []
    pid = unknown = 0
    for path in paths:
        try:
            segment = wire.read_segment(path.read_bytes())
        except OSError as error:
            torn.append(f"{path.name}: {error.strerror or error}")
            continue
        if segment.torn:
            torn.append(f"{path.name}: {segment.torn}")
        pid = pid or segment.pid
        unknown += segment.unknown
        entries.extend(segment.entries)
    entries.sort(key=lambda entry: entry.number)
    written = entries[-1].number + 1 if entries else 0
    return StreamRead(name, pid, entries, torn, max(0, written - len(entries) - unknown), unknown)
