"""The control groups of this process, version 1 or 2, as files; runs everywhere.

Invariant: nothing here raises for a group that is missing, forbidden or gone; paths go through a `root`.
A limit that is none ("max", or the huge number of version 1) is None.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from typing import NamedTuple

from whydied.linux import proc
from whydied.linux.mounts import Mount, mounts

Reader = Callable[[str], bytes | None]
# Version 1 writes "no limit" as the largest page-aligned 64-bit number; no machine has an exbibyte.
_NO_LIMIT_BYTES = 1 << 60


class Counters(NamedTuple):
    """`kills` counts OOM kills of processes of this very group."""

    kills: int
    peak_bytes: int | None


class ControlGroup(NamedTuple):
    """A group: its directory, and the directory at which its hierarchy is mounted."""

    version: int
    path: str
    top: str

    @property
    def kind(self) -> str:
        return f"cgroup v{self.version}"

    def usage_bytes(self, read: Reader = proc.read) -> int | None:
        name = "memory.usage_in_bytes" if self.version == 1 else "memory.current"
        return proc.as_int(read(f"{self.path}/{name}"))

    def limit_bytes(self, read: Reader = proc.read) -> int | None:
        name = "memory.limit_in_bytes" if self.version == 1 else "memory.max"
        limit = proc.as_int(read(f"{self.path}/{name}"))
        return None if limit is None or limit >= _NO_LIMIT_BYTES else limit

    def room_bytes(self, read: Reader = proc.read) -> int | None:
        """What is left below the limit. Page cache that the kernel can drop is room."""
        limit, usage = self.limit_bytes(read), self.usage_bytes(read)
        if limit is None or usage is None:
            return None
        stat = (read(f"{self.path}/memory.stat") or b"").decode("utf-8", "replace")
        prefix = "total_" if self.version == 1 else ""
        return (
            limit - usage + sum(proc.word_value(stat, f"{prefix}{name}_file") or 0 for name in ("inactive", "active"))
        )

    def counters(self) -> Counters | None:
        if self.version == 1:
            kills = proc.word_value(proc.read_text(f"{self.path}/memory.oom_control"), "oom_kill")
            peak = "memory.max_usage_in_bytes"
        else:
            kills = proc.word_value(proc.read_text(f"{self.path}/memory.events"), "oom_kill")
            peak = "memory.peak"
        return None if kills is None else Counters(kills, proc.read_int(f"{self.path}/{peak}"))

    def upwards(self) -> Iterator[ControlGroup]:
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


def own_group(root: str = "/") -> ControlGroup | None:
    """The group that accounts for the memory of this process, or None where the system has none."""
    group = group_for("memory", root)
    return group if group is not None and (group.version == 1 or _accounts_memory(group)) else None


def group_for(controller: str, root: str = "/") -> ControlGroup | None:
    """The group of this process in the hierarchy that a controller has or, in version 2, would have."""
    paths: dict[str, str] = {}
    for line in (proc.read_text(f"{root}proc/self/cgroup") or "").splitlines():
        _, controllers, path = [*line.split(":", 2), "", ""][:3]
        paths.update(dict.fromkeys(controllers.split(","), path))
    mounted = list(mounts(root))
    for mount in mounted:
        if mount.kind == "cgroup" and controller in mount.options and controller in paths:
            return _group(1, root, mount, paths[controller])
    for mount in mounted:
        if mount.kind == "cgroup2" and "" in paths:
            return _group(2, root, mount, paths[""])
    return None


def holding_limit(group: ControlGroup) -> ControlGroup | None:
    """The group with the smallest limit among this one and those that contain it."""
    limited = [(limit, g) for g in group.upwards() if (limit := g.limit_bytes()) is not None]
    return min(limited, key=lambda pair: pair[0])[1] if limited else None


def _group(version: int, root: str, mount: Mount, path: str) -> ControlGroup:
    top = root + mount.point.lstrip("/")
    # In a container the mount shows a subtree of the hierarchy, and the path may be told from outside of it.
    inside = path
    if mount.root != "/":
        inside = path[len(mount.root) :] if (path + "/").startswith(mount.root.rstrip("/") + "/") else "/"
    if ".." in inside.split("/"):
        inside = "/"
    directory = (top + "/" + inside.strip("/")).rstrip("/")
    return ControlGroup(version, directory if os.path.isdir(directory) else top, top)


def _accounts_memory(group: ControlGroup) -> bool:
    # The root group of version 2 has neither memory.current nor limits, but its children may.
    controllers = proc.read_text(f"{group.path}/cgroup.controllers") or ""
    return "memory" in controllers.split() or os.path.exists(f"{group.path}/memory.current")
