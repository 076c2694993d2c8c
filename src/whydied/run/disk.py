"""Brings the recording to the disk now and then, so that a dead machine leaves most of it; runs in the parent and the
watcher, in a thread of its own, because a slow disk must stop nothing else.

A write through `mmap` shows in no time stamp, so the newest segments of each lane are synced at every round and the
older ones once.
"""

from __future__ import annotations

import contextlib
import os
import threading
from pathlib import Path

PERIOD_S = 5.0


class DiskSync:
    def __init__(self, streams: Path, sources: Path | None = None, period_s: float = PERIOD_S) -> None:
        self._streams = os.fspath(streams)
        self._sources = os.fspath(sources) if sources is not None else None
        self._copies: set[str] = set()
        self._period_s = period_s
        self._finished: set[str] = set()
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self._run, name="disk-sync", daemon=True)

    def start(self) -> None:
        self._thread.start()

    def stop(self) -> None:
        """Do not wait for a sync that is under way: the disk may take long."""
        self._stop.set()

    def sync(self) -> list[str]:
        """One round; the names of the files that were synced."""
        with contextlib.suppress(OSError):
            names = [name for name in os.listdir(self._streams) if name.endswith(".rec")]
            newest = _newest(names)
            wanted = [name for name in names if name in newest or name not in self._finished]
            for name in wanted:
                with contextlib.suppress(OSError):
                    _sync(os.path.join(self._streams, name))
            if any(name not in self._finished for name in wanted):
                _sync(self._streams)
            self._finished = set(names) - newest
            return wanted
        return []

    def _sync_copies(self) -> None:
        """The user's files, which never change once they are there."""
        if self._sources is not None:
            with contextlib.suppress(OSError):
                for name in set(os.listdir(self._sources)) - self._copies:
                    with contextlib.suppress(OSError):
                        _sync(os.path.join(self._sources, name))
                        self._copies.add(name)

    def _run(self) -> None:
        while not self._stop.wait(self._period_s):
            self.sync()
            self._sync_copies()


def _newest(names: list[str]) -> set[str]:
    lanes: dict[str, str] = {}
    for name in names:
        lane = name.rsplit(".", 2)[0]
        lanes[lane] = max(lanes.get(lane, ""), name)
    return set(lanes.values())


def _sync(path: str) -> None:
    fd = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
    try:
        os.fsync(fd)
    finally:
        os.close(fd)
