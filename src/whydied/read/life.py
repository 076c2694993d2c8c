"""Whether a run is still going, told from its recording and the processes that exist. Runs in the parent.

A run that might still be going is called going: nothing may remove it or finish its report too early.
"""

from __future__ import annotations

import contextlib
import os
import socket
import time
from pathlib import Path
from typing import Literal, NamedTuple

from whydied import places, wire
from whydied.places import RunDirectory
from whydied.records import Record, RunEnded, RunStarted

Life = Literal["going", "ended", "abandoned"]
"""*abandoned*: the supervisor died before it could write its last record."""

RECENT_S = 60.0
_CLOCK_SLACK_S = 5.0


class Beginning(NamedTuple):
    """What a recording's first and last words say. `started` is None for a recording too damaged to tell."""

    started: RunStarted | None
    ended: bool


def beginning(directory: RunDirectory) -> Beginning:
    started, ended = None, False
    for record in _supervisor_records(directory.streams):
        if isinstance(record, RunStarted):
            started = started or record
        ended = ended or isinstance(record, RunEnded)
    return Beginning(started, ended)


def life(directory: RunDirectory, proc: Path = Path("/proc")) -> Life:
    words = beginning(directory)
    if words.ended:
        return "ended"
    if words.started is None or is_elsewhere(words.started):
        return "going" if _written_lately(directory) else "abandoned"
    return "going" if is_supervised(words.started, proc) else "abandoned"


def is_supervised(started: RunStarted, proc: Path = Path("/proc")) -> bool:
    """Whether the supervisor of a run of this machine lives."""
    return started.boot_id == boot_id(proc) and _is_alive(started)


def boot_id(proc: Path = Path("/proc")) -> str:
    try:
        return (proc / "sys/kernel/random/boot_id").read_text("ascii").strip()
    except (OSError, ValueError):
        return ""


def _supervisor_records(streams: Path) -> list[Record]:
    found: list[Record] = []
    for path in sorted(streams.glob(f"{places.SUPERVISOR_STREAM}.key.*.rec")):
        with contextlib.suppress(OSError):
            found.extend(entry.record for entry in wire.read_segment(path.read_bytes()).entries)
    return found


def is_elsewhere(started: RunStarted) -> bool:
    """Another machine or container: its process numbers mean nothing here."""
    return bool(started.hostname) and started.hostname != socket.gethostname()


def _is_alive(started: RunStarted) -> bool:
    import psutil

    try:
        process = psutil.Process(started.supervisor_pid)
        # A process that began after the recording has inherited the number, not the run.
        same = process.create_time() <= started.wall_time_s + _CLOCK_SLACK_S
        return bool(same and process.status() != psutil.STATUS_ZOMBIE)
    except psutil.NoSuchProcess:
        return False
    except psutil.Error:
        return True


def _written_lately(directory: RunDirectory) -> bool:
    newest = 0.0
    with contextlib.suppress(OSError), os.scandir(directory.streams) as entries:
        newest = max((entry.stat().st_mtime for entry in entries), default=0.0)
    return time.time() - newest < RECENT_S
