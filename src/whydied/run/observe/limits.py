"""Memory limits: the one that the user asked for, and the one that holds anyway; and resource limits. Runs in the
parent and in the watcher.

Invariant: a limit that was asked for is enforced, by the kernel in a group of our own where that is permitted,
else by the supervisor's watch, which records why. The group is removed at the end; a process that outlives the run is
moved out of it first, never killed.
"""

from __future__ import annotations

import contextlib
import os
import time
from collections.abc import Iterator
from typing import NamedTuple

from whydied.linux import cgroup, proc
from whydied.linux.cgroup import ControlGroup
from whydied.records import LimitApplied, OomCounted, RlimitsSeen

RLIMITS_EVERY_S = 1.0
REMOVING = 40
"""How often it is tried to remove a group: for about a second and a half."""


class Limit(NamedTuple):
    """What holds for the program. `group` is where its memory is accounted; `made` is a group of ours that it must
    join; `watched_bytes` is what the supervisor enforces itself."""

    kind: str
    limit_bytes: int
    group: ControlGroup | None
    made: ControlGroup | None = None
    path: str | None = None
    ours: bool = False
    watched_bytes: int | None = None
    reason: str | None = None

    def applied(self) -> LimitApplied:
        return LimitApplied(
            kind=self.kind, limit_bytes=self.limit_bytes, ours=self.ours, path=self.path, reason=self.reason
        )


def standing_limit(root: str = "/") -> Limit:
    """The limit that holds when nobody asks for one: the smallest of the groups that we are in, else the machine."""
    group = cgroup.own_group(root)
    total = memory_total_bytes(root)
    holder = cgroup.holding_limit(group) if group else None
    limit = holder.limit_bytes() if holder else None
    if holder and limit is not None and (limit < total or not total):
        return Limit(kind=holder.kind, limit_bytes=limit, group=group, path=holder.path)
    return Limit(kind="machine", limit_bytes=total, group=group)


def wanted_limit(limit_bytes: int, name: str, root: str = "/") -> Limit:
    """The limit that the user asked for, in a fresh group that the program joins, or watched, with the reason."""
    group = cgroup.own_group(root)
    if group is None:
        return watched_limit(limit_bytes, None, "this system has no memory cgroup")
    reasons: list[str] = []
    for parent in parents(group):
        made = parent._replace(path=f"{parent.path}/whydied-{name}")
        try:
            os.mkdir(made.path, 0o755)
        except OSError as error:
            reasons.append(f"cannot create a cgroup in {parent.path}: {error.strerror}")
            continue
        try:
            set_limit(made, limit_bytes)
        except OSError as error:
            reasons.append(f"cannot set the limit in {made.path}: {error.strerror}")
            with contextlib.suppress(OSError):
                os.rmdir(made.path)
            continue
        return Limit(kind=made.kind, limit_bytes=limit_bytes, group=made, made=made, path=made.path, ours=True)
    return watched_limit(limit_bytes, group, reasons[0])


def watched_limit(limit_bytes: int, group: ControlGroup | None, reason: str) -> Limit:
    return Limit(
        kind="watched",
        limit_bytes=limit_bytes,
        group=group,
        ours=True,
        watched_bytes=limit_bytes,
        reason=reason,
    )


def address_space_limit() -> LimitApplied | None:
    """RLIMIT_AS, where someone set it: then `malloc` fails long before any kernel kills."""
    import resource

    soft, _ = resource.getrlimit(resource.RLIMIT_AS)
    if soft == resource.RLIM_INFINITY:
        return None
    return LimitApplied(kind="address space", limit_bytes=soft, reason="RLIMIT_AS (ulimit -v)")


class RlimitWatch:
    """The resource limits of the program's first process, which it may change itself: told when first seen and when
    they change, at most once in `RLIMITS_EVERY_S`."""

    def __init__(self, pid: int, root: str = "/") -> None:
        self._path = f"{root}proc/{pid}/limits"
        self._last: RlimitsSeen | None = None
        self._next_s = 0.0

    def look(self) -> RlimitsSeen | None:
        """The limits, where they are new."""
        now = time.monotonic()
        if now < self._next_s:
            return None
        self._next_s = now + RLIMITS_EVERY_S
        text = proc.read_text(self._path)
        seen = parse_rlimits(text) if text else None
        if seen is None or seen == self._last:
            return None
        self._last = seen
        return seen


def parse_rlimits(text: str) -> RlimitsSeen:
    """`/proc/<pid>/limits`: a name in the first 26 columns, then soft limit, hard limit and unit."""
    rows = {line[:26].strip(): line[26:].split() for line in text.splitlines()[1:]}

    def limit(name: str, column: int = 0) -> int | None:
        row = rows.get(name, [])
        return int(row[column]) if len(row) > column and row[column].isdigit() else None

    return RlimitsSeen(
        cpu_soft_s=limit("Max cpu time"),
        cpu_hard_s=limit("Max cpu time", 1),
        address_space_bytes=limit("Max address space"),
        data_bytes=limit("Max data size"),
        file_size_bytes=limit("Max file size"),
        stack_bytes=limit("Max stack size"),
        open_files=limit("Max open files"),
        processes=limit("Max processes"),
    )


def count_kills(limit: Limit, moment: str, root: str = "/") -> Iterator[OomCounted]:
    """The OOM counters of the program's group, of the group that holds the limit, and of the whole machine.

    The machine's counter includes the kills in groups."""
    groups = [limit.group] if limit.group else []
    if limit.group and limit.path and limit.path != limit.group.path:
        groups.append(limit.group._replace(path=limit.path))
    for group in groups:
        counters = group.counters()
        if counters:
            yield OomCounted(
                moment=moment,
                scope="cgroup",
                kills=counters.kills,
                path=group.path,
                peak_bytes=counters.peak_bytes,
                limit_bytes=group.limit_bytes(),
            )
    kills = proc.word_value(proc.read_text(f"{root}proc/vmstat", 1 << 20), "oom_kill")
    if kills is not None:
        yield OomCounted(moment=moment, scope="machine", kills=kills)


def remove_group(made: ControlGroup) -> str | None:
    """Remove a group of ours, or say why it stays. Its last processes go to the group above."""
    above = os.path.dirname(made.path)
    problem = None
    for attempt in range(REMOVING):
        for pid in made.pids():
            with contextlib.suppress(OSError):
                write_knob(f"{above}/cgroup.procs", str(pid))
        try:
            os.rmdir(made.path)
            return None
        except OSError as error:
            problem = f"cannot remove {made.path}: {error.strerror}"
        # A group stays busy until the kernel has taken a killed process's memory apart.
        time.sleep(min(0.002 * (attempt + 1), 0.05))
    return problem


def memory_total_bytes(root: str = "/") -> int:
    return proc.field_bytes(proc.read(f"{root}proc/meminfo"), b"MemTotal") or 0


def parents(group: ControlGroup) -> Iterator[ControlGroup]:
    """Groups in which ours could be made. Version 2 lets a group that has processes of its own (as ours has us) give no
    controller to its children, unless it is the root; so there the sibling comes first."""
    if group.version == 2 and group.path != group.top:
        yield group._replace(path=os.path.dirname(group.path))
    yield group


def set_limit(made: ControlGroup, limit_bytes: int) -> None:
    if made.version == 1:
        write_knob(f"{made.path}/memory.limit_in_bytes", str(limit_bytes))
        # Where swap is accounted, memory that goes there must not be free of charge.
        with contextlib.suppress(OSError):
            write_knob(f"{made.path}/memory.memsw.limit_in_bytes", str(limit_bytes))
    else:
        write_knob(f"{made.path}/memory.max", str(limit_bytes))
        with contextlib.suppress(OSError):
            write_knob(f"{made.path}/memory.swap.max", "0")


def write_knob(path: str, text: str) -> None:
    """Write to a file of a control group."""
    # O_CREAT: the kernel refuses it for a knob that is not there, and trees of files in tests accept it.
    fd = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_CLOEXEC, 0o644)
    try:
        os.write(fd, text.encode())
    finally:
        os.close(fd)
