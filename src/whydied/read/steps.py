"""The steps of a run that were recorded: graphs, each made into a table when it is first asked for, and captured steps
with what running them again has shown (see `whydied.records.numerics`).

A file that is missing, torn or of an unknown form is as if it had never been written.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from pathlib import Path
from typing import NamedTuple, TypeVar

import msgspec

from whydied.errors import RecordingError
from whydied.graph.op_table import Table, decode
from whydied.records import Capture, Replay

LARGEST_TOTAL_BYTES = 32 << 20
"""Twice what one process records: a run with many processes shall not make the report slow."""

LARGEST_BYTES = 16 << 20
_NAME = re.compile(r"numerics/[A-Za-z0-9_-][A-Za-z0-9_.-]*")
T = TypeVar("T")


class Taken(NamedTuple):
    """What lies in the directory of a captured step."""

    capture: Capture | None = None
    replay: Replay | None = None


def read_taken(run: Path, names: Iterable[str]) -> dict[str, Taken]:
    """The captured steps by the names of their directories, relative to the run's."""
    # Names come from the recording, which another user may have made: only plain ones are followed.
    return {name: _taken(run / name) for name in names if _NAME.fullmatch(name)}


def _taken(directory: Path) -> Taken:
    capture, replay = _decoded(directory / "step.json", Capture), _decoded(directory / "replay.json", Replay)
    ran_on = replay.ran_on if replay is not None else None
    if capture is not None and ran_on is not None:
        # The replay has found out which run of the session it was.
        reached = [run.fed for run in capture.runs if run.at == ran_on.at]
        capture = msgspec.structs.replace(capture, fed=reached[0] if reached else capture.fed)
    return Taken(capture, replay)


def _decoded(path: Path, kind: type[T]) -> T | None:
    try:
        with open(path, "rb") as stream:
            return msgspec.json.decode(stream.read(LARGEST_BYTES), type=kind)
    except (OSError, msgspec.MsgspecError, UnicodeDecodeError, RecursionError):
        return None


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
