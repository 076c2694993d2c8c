"""The processes of the program: its first one and everything that came from it; runs in the parent and the watcher.

All of `/proc` is listed at most once a second, and only processes that were not there before are looked at. A process
belongs to the program when its parent does, when it is in the control group that we made, or when its environment names
this run (a daemon that lost its parent before we saw it). Once known, it stays known until it ends.
"""

from __future__ import annotations

import contextlib
import os

from whydied import places
from whydied.linux import proc
from whydied.linux.cgroup import ControlGroup
from whydied.records import ProcessSample

_KERNEL_THREADS = 2
"""The parent of the kernel's own threads, which have no environment."""


class ProcessTree:
    def __init__(
        self,
        root_pid: int,
        run_path: str,
        made: ControlGroup | None = None,
        older: frozenset[int] = frozenset(),
    ) -> None:
        """`older` are processes that ran before the program did, and so cannot be its."""
        self.root_pid = root_pid
        self.ever: set[int] = {root_pid}
        self._mark = os.fsencode(f"{places.ENV_RUN}={run_path}")
        self._made = made
        self._seen: set[int] = set(older) - {root_pid}
        stat = proc.stat_of(root_pid)
        self._known: dict[int, int] = {root_pid: stat.started_ticks if stat else 0}

    @property
    def pids(self) -> list[int]:
        """The known processes, the first one first."""
        return list(self._known)

    def scan(self) -> None:
        """Find new processes."""
        now = set(all_pids())
        new = {pid: stat for pid in now - self._seen if (stat := proc.stat_of(pid)) is not None}
        self._seen = now
        adopted = set(self._made.pids()) if self._made else set()
        found = True
        while found:
            mine = [s for p, s in new.items() if p not in self._known and (s.ppid in self._known or p in adopted)]
            found = bool(mine)
            for stat in mine:
                self._add(stat)
        for pid, stat in new.items():
            if pid in self._known or stat.ppid == _KERNEL_THREADS:
                continue
            environment = proc.read(f"/proc/{pid}/environ", 1 << 20)
            if environment == b"" and stat.state not in "ZX":
                # In the middle of an exec a process has none; the next scan looks again.
                self._seen.discard(pid)
            elif self._mark in (environment or b"").split(b"\0"):
                self._add(stat)

    def sample(self) -> list[ProcessSample]:
        """The living processes as they are now, the first one first; those that ended are forgotten."""
        samples: list[ProcessSample] = []
        for pid, started in list(self._known.items()):
            stat = proc.stat_of(pid)
            if stat is None or stat.started_ticks != started:
                if pid != self.root_pid:
                    del self._known[pid]
                continue
            status = proc.status_of(pid)
            if status is None:
                continue
            samples.append(
                ProcessSample(
                    pid=pid,
                    ppid=stat.ppid,
                    name=stat.name,
                    state=stat.state,
                    **status._asdict(),
                    cpu_s=stat.cpu_s,
                )
            )
        return samples

    def signal(self, number: int) -> None:
        """Send a signal to every process of the program, the first one first. None of them can be someone else's: a
        number is used again only for another start time."""
        self.scan()
        for pid, started in list(self._known.items()):
            stat = proc.stat_of(pid)
            if stat is not None and stat.started_ticks == started:
                with contextlib.suppress(OSError):
                    os.kill(pid, number)

    def _add(self, stat: proc.Stat) -> None:
        self._known[stat.pid] = stat.started_ticks
        self.ever.add(stat.pid)


def all_pids(root: str = "/") -> frozenset[int]:
    try:
        return frozenset(int(name) for name in os.listdir(f"{root}proc") if name.isdigit())
    except OSError:
        return frozenset()
