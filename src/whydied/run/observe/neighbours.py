"""Other processes of the machine: who takes memory and processor time while the program runs; runs in the parent and in
the watcher.

Invariant: a look reads one small file for each process and happens at most every two seconds (every half second
when memory is short); looks that would cost more than a two-hundredth of the time come less often. A record is made at
the start, at the end, and when something changed by enough to matter. The program's own processes, the children that
they have just started, and we ourselves are never neighbours.
"""

from __future__ import annotations

import contextlib
import os
import time
from typing import NamedTuple

from whydied import redact
from whydied.linux import proc
from whydied.records import MachineSampled, Neighbour, NeighboursSampled
from whydied.run.observe.process_tree import ProcessTree, all_pids

with contextlib.suppress(ImportError):
    # Not on Windows, where the doctor loads this module.
    import pwd

USUAL_S = 2.0
SHORT_S = 0.5
SHORT_SHARE = 0.15
"""Below this share of the memory that is left, looks come more often."""
CHANGE_BYTES = 64 << 20
_CHANGE_CORES = 0.5
_LARGEST = 5
_BUSIEST = 3
_BUSY_CORES = 0.2
_COST_SHARE = 200
_LONGEST_COMMAND = 160
_KERNEL_PARENT = 2


class Identity(NamedTuple):
    name: str = ""
    user: str = ""
    command: str = ""
    age_s: float | None = None


class NeighbourWatch:
    def __init__(self, tree: ProcessTree, limit_path: str | None = None, root: str = "/") -> None:
        """`limit_path` is the directory of the control group whose limit holds for the program, if one does."""
        self._tree = tree
        self._root = root
        self._limit_path = limit_path
        self._own = os.getpid()
        self._kernel: set[int] = {_KERNEL_PARENT}
        self._next_s = 0.0
        self._before: dict[tuple[int, int], float] = {}
        self._before_s: float | None = None
        self._told: dict[int, int] = {}
        self._told_cores = 0.0
        self._moment = "start"

    def look(self, machine: MachineSampled, total_bytes: int) -> NeighboursSampled | None:
        """A record, if a look is due and there is something new to tell. `machine` is the sample of this moment."""
        now = time.monotonic()
        if now < self._next_s:
            return None
        sampled = self._sample(self._moment)
        spent = time.monotonic() - now
        self._next_s = now + max(SHORT_S if is_short(machine, total_bytes) else USUAL_S, _COST_SHARE * spent)
        if self._moment != "start" and not self._changed(sampled):
            return None
        self._moment = "change"
        self._remember(sampled)
        return sampled

    def conclude(self) -> NeighboursSampled:
        """The last look, when the program has ended."""
        return self._sample("end")

    def _sample(self, moment: str) -> NeighboursSampled:
        now = time.monotonic()
        others = self._others()
        elapsed = None if self._before_s is None else max(now - self._before_s, 0.001)
        cores = {
            other.pid: (other.cpu_s - self._before[other.pid, other.started_ticks]) / elapsed
            for other in others
            if elapsed and (other.pid, other.started_ticks) in self._before
        }
        self._before = {(other.pid, other.started_ticks): other.cpu_s for other in others}
        self._before_s = now
        members = _members(self._limit_path)
        # Where a group's limit holds, only what is in it can take the program's memory: its members come first.
        largest = sorted(
            others, key=lambda other: (members is not None and other.pid in members, other.rss_bytes), reverse=True
        )[:_LARGEST]
        busiest = sorted(
            (other for other in others if other.pid in cores and cores[other.pid] >= _BUSY_CORES),
            key=lambda other: cores[other.pid],
            reverse=True,
        )[:_BUSIEST]
        return NeighboursSampled(
            moment=moment,
            largest=[self._describe(other, cores.get(other.pid), members) for other in largest],
            busiest=[self._describe(other, cores.get(other.pid), members) for other in busiest],
        )

    def _others(self) -> list[proc.Stat]:
        """Every process that is neither the program's, nor the kernel's, nor ourselves."""
        mine = set(self._tree.pids)
        found: dict[int, proc.Stat] = {}
        for pid in all_pids(self._root):
            if pid in mine or pid in self._kernel or pid == self._own:
                continue
            stranger = proc.stat_of(pid, self._root)
            if stranger is None:
                continue
            if stranger.ppid == _KERNEL_PARENT:
                self._kernel.add(pid)
            else:
                found[pid] = stranger
        # The tree is looked at once a second: a child younger than that is not in it yet.
        grown = True
        while grown:
            children = [pid for pid, other in found.items() if other.ppid in mine]
            grown = bool(children)
            for pid in children:
                mine.add(pid)
                del found[pid]
        return list(found.values())

    def _describe(self, other: proc.Stat, cores: float | None, members: frozenset[int] | None) -> Neighbour:
        known = identity(other.pid, self._root, other.started_ticks)
        return Neighbour(
            pid=other.pid,
            name=other.name,
            rss_bytes=other.rss_bytes,
            user=known.user,
            command=known.command,
            age_s=known.age_s,
            cpu_cores=None if cores is None else round(cores, 2),
            same_group=None if members is None else other.pid in members,
        )

    def _changed(self, sampled: NeighboursSampled) -> bool:
        now = {neighbour.pid: neighbour.rss_bytes for neighbour in sampled.largest}
        pids = now.keys() | self._told.keys()
        moved = sum(abs(now.get(pid, 0) - self._told.get(pid, 0)) for pid in pids)
        return moved > CHANGE_BYTES or abs(_cores(sampled) - self._told_cores) > _CHANGE_CORES

    def _remember(self, sampled: NeighboursSampled) -> None:
        self._told = {neighbour.pid: neighbour.rss_bytes for neighbour in sampled.largest}
        self._told_cores = _cores(sampled)


def is_short(machine: MachineSampled, total_bytes: int) -> bool:
    """Whether little memory is left, on the machine or in the control group."""
    limit = machine.cgroup_limit_bytes
    if limit and machine.cgroup_bytes is not None and limit - machine.cgroup_bytes < SHORT_SHARE * limit:
        return True
    return machine.available_bytes is not None and machine.available_bytes < SHORT_SHARE * total_bytes


def identity(pid: int, root: str = "/", started_ticks: int | None = None) -> Identity:
    """Who a process is, as far as the system tells a stranger. Secrets in its arguments are replaced."""
    if started_ticks is None:
        stat = proc.stat_of(pid, root)
        if stat is None:
            return Identity()
        started_ticks = stat.started_ticks
    arguments = (proc.read_text(f"{root}proc/{pid}/cmdline", 4096) or "").split("\0")
    return Identity(
        name=(proc.read_text(f"{root}proc/{pid}/comm", 64) or "").strip(),
        user=_user(pid, root),
        command=" ".join(redact.arguments(word for word in arguments if word))[:_LONGEST_COMMAND],
        age_s=round(max(0.0, time.clock_gettime(time.CLOCK_BOOTTIME) - started_ticks / proc.TICKS_PER_SECOND), 1),
    )


def _user(pid: int, root: str) -> str:
    try:
        number = os.stat(f"{root}proc/{pid}").st_uid
    except OSError:
        return ""
    try:
        return pwd.getpwuid(number).pw_name
    except (KeyError, OSError):
        return str(number)


def _members(path: str | None) -> frozenset[int] | None:
    """The processes that a limit counts: those of its group and of the groups in it."""
    if path is None:
        return None
    found: set[int] = set()
    for directory, _, files in os.walk(path):
        if "cgroup.procs" in files:
            text = proc.read_text(f"{directory}/cgroup.procs", 1 << 20) or ""
            found.update(int(word) for word in text.split() if word.isdigit())
    return frozenset(found)


def _cores(sampled: NeighboursSampled) -> float:
    return sum(neighbour.cpu_cores or 0.0 for neighbour in sampled.busiest)
