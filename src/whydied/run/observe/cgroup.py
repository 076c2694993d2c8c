"""The memory control group of this process, version 1 or 2, as files; runs in the parent and in the watcher.

What always holds: nothing here raises for a group that is missing, forbidden or gone; paths go through a `root`.
A limit that is none ("max", or the huge number of version 1) is None.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from typing import NamedTuple

from whydied.run.observe import proc

# Version 1 writes "no limit" as the largest page-aligned 64-bit number; no machine has an exbibyte.
_NO_LIMIT_BYTES = 1 << 60


class Counters(NamedTuple):
    """`kills` counts OOM kills of processes of this very group."""

    kills: int
    peak_bytes: int | None
    fail_count: int | None


class MemoryGroup(NamedTuple):
    """A group: its directory, and the directory at which its hierarchy is mounted."""

    version: int
    path: str
    top: str

    @property
    def kind(self) -> str:
        return f"cgroup v{self.version}"

    def usage_bytes(self) -> int | None:
        return proc.read_int(f"{self.path}/{'memory.usage_in_bytes' if self.version == 1 else 'memory.current'}")

    def limit_bytes(self) -> int | None:
        name = "memory.limit_in_bytes" if self.version == 1 else "memory.max"
        limit = proc.read_int(f"{self.path}/{name}")
        return None if limit is None or limit >= _NO_LIMIT_BYTES else limit

    def counters(self) -> Counters | None:
        if self.version == 1:
            kills = proc.word_value(proc.read_text(f"{self.path}/memory.oom_control"), "oom_kill")
            peak, fails = "memory.max_usage_in_bytes", proc.read_int(f"{self.path}/memory.failcnt")
        else:
            events = proc.read_text(f"{self.path}/memory.events")
            kills, fails = proc.word_value(events, "oom_kill"), proc.word_value(events, "max")
            peak = "memory.peak"
        if kills is None:
            return None
        return Counters(kills, proc.read_int(f"{self.path}/{peak}"), fails)

    def upwards(self) -> Iterator[MemoryGroup]:
        """This group and those that contain it, up to the mount point."""
        path = self.path
        while True:
            yield self._replace(path=path)
            if path == self.top or not path.startswith(self.top):
                return
            path = os.path.dirname(path)

    def pids(self) -> list[int]:
        text = proc.read_text(f"{self.path}/cgroup.procs") or ""
        return [int(word) for word in text.split() if word.isdigit()]


def own_group(root: str = "/") -> MemoryGroup | None:
    """The group that accounts for the memory of this process, or None where the system has none."""
    lines = (proc.read_text(f"{root}proc/self/cgroup") or "").splitlines()
    mounts = list(_mounts(proc.read_text(f"{root}proc/self/mountinfo", 1 << 20) or ""))
    for line in lines:
        _, controllers, path = [*line.split(":", 2), "", ""][:3]
        if "memory" in controllers.split(","):
            for mount in mounts:
                if mount.kind == "cgroup" and "memory" in mount.options:
                    return _group(1, root, mount, path)
    for line in lines:
        if line.startswith("0::"):
            for mount in mounts:
                if mount.kind == "cgroup2":
                    group = _group(2, root, mount, line[3:])
                    return group if _accounts_memory(group) else None
    return None


def holding_limit(group: MemoryGroup) -> MemoryGroup | None:
    """The group with the smallest limit among this one and those that contain it."""
    limited = [(limit, g) for g in group.upwards() if (limit := g.limit_bytes()) is not None]
    return min(limited, key=lambda pair: pair[0])[1] if limited else None


class _Mount(NamedTuple):
    root: str
    point: str
    kind: str
    options: tuple[str, ...]


def _mounts(mountinfo: str) -> Iterator[_Mount]:
    for line in mountinfo.splitlines():
        before, _, after = line.partition(" - ")
        left, right = before.split(), after.split()
        if len(left) >= 5 and len(right) >= 3 and right[0] in ("cgroup", "cgroup2"):
            yield _Mount(left[3], left[4], right[0], tuple(right[2].split(",")))


def _group(version: int, root: str, mount: _Mount, path: str) -> MemoryGroup:
    top = root + mount.point.lstrip("/")
    # In a container the mount shows a subtree of the hierarchy, and the path may be told from outside of it.
    inside = path
    if mount.root != "/":
        inside = path[len(mount.root) :] if (path + "/").startswith(mount.root.rstrip("/") + "/") else "/"
    if ".." in inside.split("/"):
        inside = "/"
    directory = (top + "/" + inside.strip("/")).rstrip("/")
    return MemoryGroup(version, directory if os.path.isdir(directory) else top, top)


def _accounts_memory(group: MemoryGroup) -> bool:
    # The root group of version 2 has neither memory.current nor limits, but its children may.
    controllers = proc.read_text(f"{group.path}/cgroup.controllers") or ""
    return "memory" in controllers.split() or os.path.exists(f"{group.path}/memory.current")
