"""Looks at the program and the machine from outside; runs in the parent and in the watcher.

Invariant: a look costs well under a millisecond for a small program, and a fact that the system does not tell
is None. Processes, memory and the control group are fresh at each look; pressure and disks are looked at once a
second and repeated in between.
"""

from __future__ import annotations

import os
import time
from collections.abc import Sequence
from typing import Any

from whydied.linux import proc
from whydied.linux.cgroup import ControlGroup
from whydied.records import MachineSampled
from whydied.run.observe.process_tree import ProcessTree

USUAL_S = 0.1
NEAR_LIMIT_S = 0.02
_SLOW_S = 1.0
_YOUNG_S = 1.0
_NEAR_LIMIT = 0.8
_GROWTH_AHEAD_S = 2.0
_MOST_PROCESSES = 150


class Sampler:
    def __init__(
        self,
        tree: ProcessTree,
        group: ControlGroup | None,
        limit_bytes: int,
        disks: Sequence[str],
        root: str = "/",
    ) -> None:
        self.tree = tree
        self.rss_bytes = 0
        self.pause_s = USUAL_S
        self._group = group
        self._limit_bytes = limit_bytes
        self._disks = disks
        self._root = root
        self._began_s = time.monotonic()
        self._slow: dict[str, Any] = {}
        """Fields of a record."""
        self._slow_at_s = -_SLOW_S
        self._last_at_s = self._began_s

    def sample(self) -> MachineSampled:
        now = time.monotonic()
        if now - self._slow_at_s >= _SLOW_S:
            self._slow, self._slow_at_s = self._look_slowly(), now
            self.tree.scan()
        elif now - self._began_s < _YOUNG_S:
            self.tree.scan()
        processes = self.tree.sample()
        usage = self._group.usage_bytes() if self._group else None
        memory = proc.read(f"{self._root}proc/meminfo", 2048)
        self._choose_pause(sum(process.rss_bytes for process in processes), usage, now)
        if len(processes) > _MOST_PROCESSES:
            # A record has a largest size. The first process counts whatever its size.
            by_size = sorted(processes[1:], key=lambda process: -process.rss_bytes)
            processes = processes[:1] + by_size[: _MOST_PROCESSES - 1]
        return MachineSampled(
            processes=processes,
            cgroup_bytes=usage,
            cgroup_limit_bytes=self._group.limit_bytes() if self._group else None,
            available_bytes=proc.field_bytes(memory, b"MemAvailable"),
            **self._slow,
        )

    def _choose_pause(self, rss_bytes: int, usage: int | None, now: float) -> None:
        """Look faster when the limit is near, or will be soon at the pace of the last moment."""
        used = max(rss_bytes, usage or 0)
        elapsed = max(now - self._last_at_s, 0.001)
        ahead = used + (rss_bytes - self.rss_bytes) / elapsed * _GROWTH_AHEAD_S
        near = self._limit_bytes and (used > _NEAR_LIMIT * self._limit_bytes or ahead > self._limit_bytes)
        self.pause_s = NEAR_LIMIT_S if near else USUAL_S
        self.rss_bytes, self._last_at_s = rss_bytes, now

    def _look_slowly(self) -> dict[str, Any]:
        return {
            "memory_pressure_full": _pressure(proc.read_text(f"{self._root}proc/pressure/memory"), "full"),
            "cpu_pressure_some": _pressure(proc.read_text(f"{self._root}proc/pressure/cpu"), "some"),
            "io_pressure_full": _pressure(proc.read_text(f"{self._root}proc/pressure/io"), "full"),
            "disk_free_bytes": min((free for disk in self._disks if (free := _free(disk)) is not None), default=None),
            "shm_free_bytes": _free(f"{self._root}dev/shm"),
        }


def _pressure(text: str | None, word: str) -> float | None:
    """The share of the last ten seconds, in per cent, that some or all tasks waited."""
    for line in (text or "").splitlines():
        if line.startswith(word + " avg10="):
            try:
                return float(line.split("avg10=", 1)[1].split()[0])
            except (IndexError, ValueError):
                return None
    return None


def _free(path: str) -> int | None:
    try:
        found = os.statvfs(path)
    except OSError:
        return None
    return found.f_bavail * found.f_frsize
