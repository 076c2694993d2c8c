"""The process that a caller starts and waits for; stays outside of the sandbox.

It makes the control groups, starts the first process inside, passes signals on, ends everything when the caller is
gone, and exits with the program's status, 128+N for signal N, or 125 with a sentence where there is no sandbox. If it
is killed, the kernel kills the first process inside.

Invariant: nothing that was open when it started is open inside but the standard streams.
"""

from __future__ import annotations

import contextlib
import os
import signal
import sys
from collections.abc import Collection

import msgspec

from whydied.linux import proc, system_calls
from whydied.prove.sandbox import control_groups, landlock, namespaces
from whydied.prove.sandbox.attendance import AWAITED, TO_ALL, outcome, wait_for
from whydied.prove.sandbox.control_groups import Groups
from whydied.prove.sandbox.link import Link
from whydied.prove.sandbox.scratch_use import ScratchUse
from whydied.prove.sandbox.wanted import FAILED, GROUPS, GUARDIAN, HOME, NOTES, Wanted
from whydied.run import stdio


def main() -> None:
    """`argv` is the name of the mechanism, what is wanted, and the command."""
    name, text, *argv = sys.argv[1:]
    stdio.occupy()
    for fd in map(int, os.listdir("/proc/self/fd")):
        if fd > 2:
            # The one by which they were listed is closed already.
            with contextlib.suppress(OSError):
                os.close(fd)
    sys.exit(_Guardian(name, msgspec.json.decode(text, type=Wanted), argv).run())


class _Guardian:
    def __init__(self, name: str, wanted: Wanted, argv: list[str]) -> None:
        self._name, self._wanted, self._argv = name, wanted, argv
        self._home = f"{wanted.scratch}/{HOME}"
        self._parent = os.getppid()
        self._link = Link()
        self._targets: list[int] = []
        self._notes: list[str] = []
        self._problem: str | None = None
        self._use: ScratchUse | None = None

    def run(self) -> int:
        try:
            status = self._guard()
        except OSError as error:
            self._problem = self._problem or f"{error.strerror or error}: {error.filename or self._home}"
        return self._fail(self._problem) if self._problem else status

    def _guard(self) -> int:
        os.mkdir(self._home, 0o700)
        with open(f"{self._home}/{GUARDIAN}", "w") as file:
            own = proc.stat_of(os.getpid())
            file.write(f"{os.getpid()} {own.started_ticks if own else 0}")
        # Where the caller ignores it, ended children would not be told to us.
        signal.signal(signal.SIGCHLD, signal.SIG_DFL)
        mask = signal.pthread_sigmask(signal.SIG_BLOCK, AWAITED)
        groups = control_groups.make(f"{self._home}/{GROUPS}", self._wanted.memory_bytes, self._wanted.processes)
        self._note_bounds(groups)
        if self._name == "landlock":
            # There is no process 1 of its own: what loses its parent comes to us.
            system_calls.adopt_orphans()
            self._use = ScratchUse([self._home, *self._wanted.writable], self._wanted.scratch_bytes)
        try:
            return self._attend(groups, mask)
        finally:
            _end_children()
            for top in groups.tops:
                if not control_groups.remove(top):
                    self._notes.append(f"the control group {top} could not be removed")
            with contextlib.suppress(OSError), open(f"{self._home}/{NOTES}", "w") as file:
                file.write("".join(f"{note}\n" for note in self._notes))

    def _attend(self, groups: Groups, mask: Collection[int]) -> int:
        guardian = os.getpid()
        pid = os.fork()
        if pid == 0:
            self._link.is_inside()
            self._link.guarded(lambda: self._enter(guardian, groups, mask))
            os._exit(FAILED)
        self._link.is_guardian()
        self._targets = [pid]
        try:
            groups.join(pid)
        except OSError as error:
            self._notes.append(f"the control group could not be joined: {error.strerror}")
        self._link.tell("joined")
        lines = self._link.lines()
        for kind, text in lines:
            self._hear(kind, text)
            if kind in ("init", "error"):
                break
        status = wait_for(pid, self._forward, self._look)
        for kind, text in lines:
            self._hear(kind, text)
        return outcome(status)

    def _note_bounds(self, groups: Groups) -> None:
        if os.geteuid() == 0 and "pids" not in groups.bounds:
            self._notes.append("the number of its processes was not bounded")
        if self._wanted.memory_bytes is not None and "memory" not in groups.bounds:
            self._notes.append("the memory of all its processes together was not bounded")

    def _enter(self, guardian: int, groups: Groups, mask: Collection[int]) -> None:
        system_calls.die_with_parent(signal.SIGKILL)
        if os.getppid() != guardian:
            os._exit(FAILED)
        self._link.await_word("joined")
        if self._use:
            self._use.close()
        if self._name == "landlock":
            landlock.enter(self._wanted, self._argv, groups.room, mask)
        namespaces.keep(self._wanted, self._argv, groups.room, self._link, mask)

    def _hear(self, kind: str, text: str) -> None:
        if kind == "unshared":
            try:
                namespaces.map_ids(self._targets[0])
            except OSError as error:
                self._problem = error.strerror or str(error)
                os.kill(self._targets[0], signal.SIGKILL)
            self._link.tell("mapped")
        elif kind == "init":
            self._targets.append(int(text))
        elif kind == "note":
            self._notes.append(text)
        elif kind in ("error", "ended"):
            self._problem = self._problem or text
            self._notes.append(text)

    def _forward(self, received: signal.struct_siginfo) -> None:
        target = self._targets[-1]
        if self._name == "landlock" and received.si_signo in TO_ALL:
            target = -target
        with contextlib.suppress(ProcessLookupError):
            os.kill(target, received.si_signo)

    def _look(self) -> None:
        excess = self._use.excess() if self._use else None
        if excess:
            self._hear("ended", excess)
        if excess or os.getppid() != self._parent:
            for pid in self._targets:
                with contextlib.suppress(ProcessLookupError):
                    os.kill(pid, signal.SIGKILL)

    def _fail(self, problem: str) -> int:
        sys.stderr.write(f"whydied: sandbox: {problem}\n")
        return FAILED


def _end_children() -> None:
    """Kill what the program left: orphans come to us."""
    while left := _descendants():
        for pid in left:
            with contextlib.suppress(OSError):
                os.kill(pid, signal.SIGKILL)
        with contextlib.suppress(ChildProcessError):
            os.waitpid(-1, 0)
            while os.waitpid(-1, os.WNOHANG)[0]:
                pass


def _descendants() -> set[int]:
    stats = [stat for name in os.listdir("/proc") if name.isdigit() and (stat := proc.stat_of(int(name)))]
    found, size = {os.getpid()}, 0
    while len(found) > size:
        size = len(found)
        found |= {stat.pid for stat in stats if stat.ppid in found}
    return found - {os.getpid()}
