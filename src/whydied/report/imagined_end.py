"""A recording of a process that lives, cut as if an exception or a bad step had ended it: what a cell of a notebook or
a test raised is explained as the end of a program is. Pure.
"""

from __future__ import annotations

import msgspec

from whydied import places
from whydied.diagnose.finding import Finding
from whydied.read.reader import StreamRead
from whydied.read.recording import Recording
from whydied.records import ExceptionRaised, ProgramEnded, ProgramStarted, RunEnded
from whydied.wire import Entry


def as_if_ended(recording: Recording, streams: list[StreamRead], pid: int, last_entry: Entry) -> Recording:
    """The recording with these streams of the process alone, which ended with `last_entry`."""
    supervisor = next((one for one in recording.streams if one.name == places.SUPERVISOR_STREAM), None)
    parts = (recording.faults, recording.not_inside, recording.aftermath, recording.sources, recording.graphs)
    kept = [*streams, _ended(supervisor, pid, last_entry)]
    return Recording(recording.directory, kept, *parts, recording.taken, recording.edited, recording.project)


def without_end(finding: Finding) -> Finding:
    """Nothing has ended, so nothing told how."""
    kept = [piece for piece in finding.evidence if not piece.source.startswith("ProgramEnded")]
    return msgspec.structs.replace(finding, evidence=kept)


def _ended(supervisor: StreamRead | None, pid: int, last_entry: Entry) -> StreamRead:
    base = supervisor or StreamRead(places.SUPERVISOR_STREAM, 0, [], [], 0, 0)
    kept = [
        entry
        for entry in base.entries
        if entry.at_ns <= last_entry.at_ns and not isinstance(entry.record, ProgramStarted | ProgramEnded | RunEnded)
    ]
    number = kept[-1].number + 1 if kept else 0
    at = last_entry.at_ns
    kept.append(Entry(at, number, ProgramStarted(pid=pid, argv=[])))
    status = int(isinstance(last_entry.record, ExceptionRaised))
    kept.append(Entry(at, number + 1, ProgramEnded(pid=pid, exit_code=status, wall_s=0.0)))
    kept.append(Entry(at, number + 2, RunEnded()))
    return base._replace(entries=kept)
