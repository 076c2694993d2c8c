"""Control groups around a sandbox: they bound its memory and the number of its processes, and leave a place in which
`whydied run --memory-limit` can make its own group. Runs outside, in the guardian.

    whydied-sandbox-<name>/       the bounds, which nobody inside can write to
        room/                     writable inside; no processes of its own, for version 2 has them in leaves alone
            inner/                the first process of the sandbox, and what it starts
            whydied-<run>/        made inside

Without memory `inner` lies below the first: who makes a cgroup namespace can write to the group that it is in.

Invariant: the names of the groups are on disk before they are made, so that `clearing` can remove them.
"""

from __future__ import annotations

import contextlib
import os
import secrets
import signal
import time
from typing import NamedTuple

from whydied.linux import cgroup
from whydied.linux.cgroup import ControlGroup
from whydied.run.observe import limits
from whydied.run.observe.limits import write_knob

NAMED = "whydied-sandbox-"
_REMOVING = 50


class Groups(NamedTuple):
    """`tops` are the groups that we made, `room` is what must stay writable inside, `joined` where the first process
    goes; `bounds` are the controllers whose bound holds."""

    tops: list[str]
    joined: list[str]
    room: str | None
    bounds: frozenset[str]

    def join(self, pid: int) -> None:
        for directory in self.joined:
            write_knob(f"{directory}/cgroup.procs", str(pid))


def make(record: str, memory_bytes: int | None, processes: int, root: str = "/") -> Groups:
    """Make what may be made. Where nothing may, the sandbox is without these bounds."""
    name = f"{NAMED}{secrets.token_hex(6)}"
    tops: list[str] = []
    joined: list[str] = []
    bounds: set[str] = set()
    room = None
    memory, pids = cgroup.own_group(root), cgroup.group_for("pids", root)
    for controllers, group in _hierarchies(memory, pids):
        top = _top(record, group, name)
        if top is None:
            continue
        inner = [f"{top}/room", f"{top}/room/inner"] if "memory" in controllers else [f"{top}/inner"]
        try:
            for directory in inner:
                os.mkdir(directory)
        except OSError:
            remove(top)
            continue
        tops.append(top)
        joined.append(inner[-1])
        if "pids" in controllers:
            bounds |= _bound(f"{top}/pids.max", processes, "pids")
        if "memory" not in controllers:
            continue
        room = inner[0]
        if memory_bytes is not None:
            knob = "memory.limit_in_bytes" if group.version == 1 else "memory.max"
            bounds |= _bound(f"{top}/{knob}", memory_bytes, "memory")
        if group.version == 2:
            for directory in (top, room):
                with contextlib.suppress(OSError):
                    write_knob(f"{directory}/cgroup.subtree_control", "+memory")
    return Groups(tops, joined, room, frozenset(bounds))


def processes_of(top: str) -> list[int]:
    """All processes in a group and below it, by the numbers that we know them by."""
    found: list[int] = []
    for directory in _below(top):
        with contextlib.suppress(OSError, ValueError), open(f"{directory}/cgroup.procs") as file:
            found += [int(word) for word in file.read().split()]
    return found


def remove(top: str) -> bool:
    """Kill what is left in a group of ours, and remove it and all below it."""
    for attempt in range(_REMOVING):
        if not os.path.isdir(top):
            return True
        for pid in processes_of(top):
            with contextlib.suppress(OSError):
                os.kill(pid, signal.SIGKILL)
        for directory in reversed(_below(top)):
            with contextlib.suppress(OSError):
                os.rmdir(directory)
        if not os.path.isdir(top):
            return True
        # A group stays busy until the kernel has taken a killed process's memory apart.
        time.sleep(min(0.002 * (attempt + 1), 0.1))
    return False


def _below(top: str) -> list[str]:
    """A directory and all below it, from the top down."""
    found = [top]
    for directory in found:
        with contextlib.suppress(OSError), os.scandir(directory) as entries:
            found += [entry.path for entry in entries if entry.is_dir(follow_symlinks=False)]
    return found


def _hierarchies(memory: ControlGroup | None, pids: ControlGroup | None) -> list[tuple[set[str], ControlGroup]]:
    if memory and pids and memory.path == pids.path:
        return [({"memory", "pids"}, memory)]
    return [({name}, group) for name, group in (("memory", memory), ("pids", pids)) if group]


def _top(record: str, group: ControlGroup, name: str) -> str | None:
    for parent in limits.parents(group):
        top = f"{parent.path}/{name}"
        with open(record, "a") as file:
            file.write(f"{top}\n")
        try:
            os.mkdir(top, 0o755)
        except OSError:
            continue
        # A group of version 2 to which its parent gives no controller bounds nothing.
        if group.version == 1 or os.path.exists(f"{top}/memory.max"):
            return top
        os.rmdir(top)
    return None


def _bound(knob: str, value: int, controller: str) -> set[str]:
    try:
        write_knob(knob, str(value))
    except OSError:
        return set()
    return {controller}
