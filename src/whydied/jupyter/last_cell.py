"""What a kernel was doing when it ended, told by the few records that matter. Runs in the supervisor.

Invariant: it is quick, however long the recording is: a kernel that ended in order must not keep Jupyter
waiting.
"""

from __future__ import annotations

import contextlib
import json
from typing import Any

from whydied import wire
from whydied.places import RunDirectory
from whydied.records import CellEnded, CellStarted, ProcessExiting


class LastCell:
    """The cell that was running when a kernel ended, whether it had run any, and whether it went down in order. `pid`
    is the process that was started; where that is only a wrapper, a process below it ran the cells."""

    def __init__(self, directory: RunDirectory, pid: int) -> None:
        self.running: CellStarted | None = None
        self.any = False
        self.left_in_order = False
        streams = _key_streams(directory, str(pid))
        if not any(_ran_cells(entries) for entries in streams):
            streams = [entries for entries in _key_streams(directory, "*") if _ran_cells(entries)] or streams
        for entry in max(streams, key=lambda entries: entries[-1].at_ns, default=[]):
            self._take(entry.record)

    @property
    def parent(self) -> dict[str, Any] | None:
        """The header that says to clients which cell a message is for."""
        with contextlib.suppress(ValueError):
            header = json.loads(self.running.parent) if self.running else None
            return header if isinstance(header, dict) and header.get("msg_id") else None
        return None

    def _take(self, record: object) -> None:
        if isinstance(record, CellStarted):
            self.running, self.any = record, True
        elif isinstance(record, CellEnded):
            self.running = None
        elif isinstance(record, ProcessExiting):
            self.left_in_order = True


def _key_streams(directory: RunDirectory, pid: str) -> list[list[wire.Entry]]:
    """What processes recorded that is kept for ever, by stream, in order."""
    found: dict[str, list[wire.Entry]] = {}
    for path in sorted(directory.streams.glob(f"process-{pid}-*.key.*.rec")):
        with contextlib.suppress(OSError):
            found.setdefault(path.name.partition(".")[0], []).extend(wire.read_segment(path.read_bytes()).entries)
    return [sorted(entries, key=lambda entry: entry.at_ns) for entries in found.values() if entries]


def _ran_cells(entries: list[wire.Entry]) -> bool:
    return any(isinstance(entry.record, CellStarted) for entry in entries)
