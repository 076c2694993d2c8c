"""Follows a recording while it is written. Runs in any process of ours but the user's.

Invariant: a record is given once, in the order of its stream; a call costs what is new, however long the recording is;
never raises for what a recording contains. What rotation drops before it was read is passed over.

A record that is being copied at this moment does not hold yet, and is read by a later call. Once a segment has a
successor nothing more is written into it, so what does not hold there never will.
"""

from __future__ import annotations

import contextlib
import os
from pathlib import Path
from typing import NamedTuple

from whydied import wire
from whydied.read.reader import SEGMENT
from whydied.records import Record
from whydied.stream import LARGEST_RECORD_BYTES

_PIECE_BYTES = LARGEST_RECORD_BYTES + wire.FRAME.size
"""Holds any record whole."""


class Heard(NamedTuple):
    """A record, with the stream that it is of and the pid of its writer."""

    stream: str
    pid: int
    at_ns: int
    record: Record


class _Lane:
    """Where reading stands in one row of segments."""

    def __init__(self) -> None:
        self.number = -1
        self.pid = 0
        self.offset = 0

    def begin(self, number: int) -> None:
        self.number, self.pid, self.offset = number, 0, 0


class Tail:
    def __init__(self, streams: Path) -> None:
        self._streams = streams
        self._lanes: dict[tuple[str, str], _Lane] = {}
        self.bytes_read = 0
        """Of the files so far."""

    def fresh(self) -> list[Heard]:
        """What was written since the last call, in the order of time."""
        found: list[Heard] = []
        for (stream, lane), numbers in self._listed().items():
            found += self._follow(stream, lane, sorted(numbers))
        return sorted(found, key=lambda heard: heard.at_ns)

    def _listed(self) -> dict[tuple[str, str], list[int]]:
        lanes: dict[tuple[str, str], list[int]] = {}
        with contextlib.suppress(OSError):
            for name in sorted(os.listdir(self._streams)):
                match = SEGMENT.fullmatch(name)
                if match:
                    lanes.setdefault((match["stream"], match["lane"]), []).append(int(match["number"]))
        return lanes

    def _follow(self, stream: str, lane: str, numbers: list[int]) -> list[Heard]:
        at = self._lanes.setdefault((stream, lane), _Lane())
        found: list[Heard] = []
        for number in numbers:
            if number < at.number:
                continue
            if number > at.number:
                at.begin(number)
            path = self._streams / f"{stream}.{lane}.{number:06}.rec"
            # One that rotation has just removed is not there any more.
            with contextlib.suppress(OSError), open(path, "rb", buffering=0) as file:
                found += self._read(file.fileno(), stream, at)
        return found

    def _read(self, fd: int, stream: str, at: _Lane) -> list[Heard]:
        if at.offset == 0:
            head = wire.read_header(self._bytes(fd, 0, wire.HEADER_BYTES))
            if isinstance(head, str):
                return []
            at.pid, at.offset = head.pid, head.first
        found: list[Heard] = []
        while self._has_more(fd, at.offset):
            piece = self._bytes(fd, at.offset, _PIECE_BYTES)
            frames = wire.read_frames(piece, 0)
            found += [Heard(stream, at.pid, entry.at_ns, entry.record) for entry in frames.entries]
            at.offset += frames.end
            # A frame that a piece cuts is whole at the beginning of the next one; what does not hold there is torn.
            if frames.end == 0:
                break
        return found

    def _has_more(self, fd: int, offset: int) -> bool:
        """Most looks find nothing: eight bytes tell that."""
        data = self._bytes(fd, offset, wire.FRAME.size)
        return len(data) == wire.FRAME.size and wire.FRAME.unpack(data)[0] != 0

    def _bytes(self, fd: int, offset: int, count: int) -> bytes:
        data = os.pread(fd, count, offset)
        self.bytes_read += len(data)
        return data
