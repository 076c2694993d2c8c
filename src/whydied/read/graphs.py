"""The recorded graphs of a run: their files are read at once, a table is made from one when it is first asked for.

A file that cannot be read or decoded is as if it had never been recorded.
"""

from __future__ import annotations

from pathlib import Path

from whydied.errors import RecordingError
from whydied.graph.op_table import Table, decode

LARGEST_TOTAL_BYTES = 32 << 20
"""Twice what one process records: a run with many processes shall not make the report slow."""


class Graphs:
    """Tables by the name of their file."""

    def __init__(self, files: dict[str, bytes] | None = None, tables: dict[str, Table] | None = None) -> None:
        self._files = files or {}
        self._tables: dict[str, Table | None] = dict(tables or {})

    def table(self, name: str) -> Table | None:
        if name not in self._tables:
            self._tables[name] = self._decoded(name)
        return self._tables[name]

    def _decoded(self, name: str) -> Table | None:
        data = self._files.get(name)
        if data is None:
            return None
        try:
            return decode(data)
        except RecordingError:
            return None


def read_graphs(directory: Path, names: list[str]) -> Graphs:
    """The named files, the last ones first, as many as there is room for."""
    files: dict[str, bytes] = {}
    room = LARGEST_TOTAL_BYTES
    for name in reversed(names):
        # Names come from the recording, which another user may have made: only plain ones are followed.
        if "/" in name or name.startswith("."):
            continue
        try:
            with open(directory / name, "rb") as stream:
                data = stream.read(room + 1)
        except OSError:
            continue
        if len(data) > room:
            break
        room -= len(data)
        files[name] = data
    return Graphs(files)
