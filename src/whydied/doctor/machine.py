"""The machine as the doctor sees it: files below a root, limits, and the place of the runs. Runs in the
parent.

Every question goes through a Machine, so that a test can hand in a tree of files instead of the real one.
Nothing here changes the machine, and no answer raises: what cannot be read is None.
"""

from __future__ import annotations

import os
import platform
from collections.abc import Collection, Mapping
from pathlib import Path
from typing import Literal, NamedTuple

from whydied.linux import cgroup, proc

Status = Literal["ok", "missing", "risk", "broken"]


class Check(NamedTuple):
    """One answer. *missing*: a diagnosis will be poorer, and `impact` says how; *risk*: programs may die or be slow of
    it, and `impact` says what breaks; *broken*: TensorFlow, a part of it, or whydied does not work here. `fix` is a
    command where one command mends it; `area` is what it was asked about."""

    name: str
    status: Status
    found: str
    impact: str | None = None
    fix: str | None = None
    area: str = ""


class Group(NamedTuple):
    """The memory control group that we are in, the limit that holds there, also from above, and whether a group of
    ours with a limit of its own can be made."""

    version: int
    path: Path
    limit_bytes: int | None
    can_hold: bool


class Machine(NamedTuple):
    runs: Path
    root: Path = Path("/")
    system: str = platform.system()
    architecture: str = platform.machine()
    limits: Mapping[str, int | None] | None = None
    working: Path | None = None

    def at(self, path: str) -> Path:
        return self.root / path.lstrip("/")

    def text(self, path: str) -> str | None:
        try:
            return self.at(path).read_text("utf-8", "replace").strip()
        except OSError:
            return None

    def number(self, path: str) -> int | None:
        return proc.read_int(str(self.at(path)))

    def ulimit(self, name: str) -> int | None:
        """The soft limit by the name it has in `resource`; None is unlimited."""
        if self.limits is not None:
            return self.limits.get(name)
        import resource

        soft, _ = resource.getrlimit(getattr(resource, name))
        return None if soft == resource.RLIM_INFINITY else soft

    def processors(self) -> Collection[int]:
        """Those that we may be scheduled on."""
        try:
            return os.sched_getaffinity(0)
        except (AttributeError, OSError):
            return range(os.cpu_count() or 1)

    def memory(self, field: str) -> int | None:
        """A line of /proc/meminfo, in bytes."""
        return proc.field_bytes(proc.read(str(self.at("proc/meminfo"))), field.encode())

    def group(self) -> Group | None:
        """The control group that accounts for our memory."""
        own = cgroup.own_group(f"{str(self.root).rstrip('/')}/")
        if own is None:
            return None
        holder = cgroup.holding_limit(own)
        return Group(own.version, Path(own.path), holder.limit_bytes() if holder else None, _can_hold(own))


def _can_hold(own: cgroup.ControlGroup) -> bool:
    """Whether a group of ours with a limit can be made."""
    if own.version == 1:
        return os.access(own.path, os.W_OK)
    # Version 2 gives controllers only to children of groups without processes, so ours would stand beside us.
    parent = Path(own.path) if own.path == own.top else Path(own.path).parent
    controllers = (proc.read_text(f"{parent}/cgroup.subtree_control") or "").split()
    return "memory" in controllers and os.access(parent, os.W_OK)
