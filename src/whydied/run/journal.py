"""The supervisor's own streams; runs in the parent and in the watcher.

Invariant: once the first record is written, no failure to record (a full disk) reaches the caller: the
program's output and exit status matter more. What was lost is said with the next record that can be written.
"""

from __future__ import annotations

from whydied import places
from whydied.errors import NoRoom
from whydied.places import RunDirectory
from whydied.records import OutputWritten, Record, RecorderLimited
from whydied.run.stdio import RECORDED
from whydied.stream import Stream

_OUTPUT_SEGMENT_BYTES = 64 * 1024


class Journal:
    def __init__(self, directory: RunDirectory, first: Record) -> None:
        self._stream = Stream(directory.streams, places.SUPERVISOR_STREAM)
        self._output = Stream(
            directory.streams,
            places.TERMINAL_STREAM,
            segment_bytes=_OUTPUT_SEGMENT_BYTES,
            keep_first=1,
            keep_last=4,
        )
        self._lost = 0
        self._why = ""
        try:
            self._stream.write(first)
        except OSError as error:
            raise NoRoom(
                f"cannot write a recording to {directory.path}: {error.strerror or error}",
                "make room there, or name another directory with --runs DIR",
            ) from error

    def write(self, record: Record) -> None:
        try:
            if self._lost:
                reason = f"{self._lost} records of the supervisor were lost: {self._why}"
                self._stream.write(RecorderLimited(what="recording", reason=reason))
                self._lost = 0
            self._stream.write(record)
        except Exception as error:
            self._lost += 1
            self._why = repr(error)

    def write_output(self, channel: str, data: bytes) -> None:
        if channel not in RECORDED:
            return
        try:
            self._output.write(OutputWritten(channel=channel, data=data))
        except Exception as error:
            self._lost += 1
            self._why = repr(error)
