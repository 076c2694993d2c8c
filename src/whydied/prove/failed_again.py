"""The failure of a changed program, as a recording that rules can be asked about. Pure.

A variant in a copy of the process has no supervisor and keeps no files: what it says of the exception that ended it
stands in for what the program's own process had recorded, with the files as they were changed.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from whydied import wire
from whydied.diagnose.case import Case
from whydied.inside.trials.held_copy import TOLD
from whydied.read.cells import Cells
from whydied.read.recording import Recording
from whydied.records import MainFound, ProcessBegan, VersionsSeen
from whydied.source.text import Source
from whydied.wire import Entry

_STAYS = (ProcessBegan, MainFound, VersionsSeen)
"""What holds of the process whatever the program does."""


def told_by(data: bytes) -> dict[int, list[Entry]]:
    """What the variants recorded, by their numbers, as far as it is there whole."""
    found: dict[int, list[Entry]] = {}
    at = 0
    while at + TOLD.size <= len(data):
        number, size = TOLD.unpack_from(data, at)
        at += TOLD.size
        if at + size > len(data):
            break
        found[number] = wire.read_frames(data[at : at + size], 0).entries
        at += size
    return found


def failed_again(case: Case, texts: Mapping[str, str], entries: Sequence[Entry]) -> Recording | None:
    """None where nobody was inside the process that failed."""
    recording, process = case.recording, case.principal
    if process is None or process.stream is None:
        return None
    mine = process.stream
    kept = [one for one in mine.entries if isinstance(one.record, _STAYS)]
    # In a notebook it says which cells ran, by which what comes after has to be read.
    cells = Cells([mine._replace(entries=[*kept, *entries])])
    streams = [cells.streams[0] if one is mine else one for one in recording.streams]
    changed = {file: Source(text) for file, text in texts.items()} | cells.sources
    return Recording(
        recording.directory,
        streams,
        recording.faults,
        recording.not_inside,
        recording.aftermath,
        {**recording.sources, **changed},
        edited=recording.edited,
        project={**recording.project, **changed},
    )
