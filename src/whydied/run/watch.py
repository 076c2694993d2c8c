"""Watches a program that called `whydied.start()`, from outside, until it has ended; runs in the watcher process.

The watcher is not the program's parent, so no `wait` tells it the exit status. It learns it, in this order, from the
kernel's account of the ended process (`PIDFD_GET_INFO`, Linux 6.15), or from `/proc/<pid>/stat` while the parent has
not asked for it yet; else it stays unknown, and the recorder inside has to tell.

Invariant: the watcher ends soon after the program, and never touches it.
"""

from __future__ import annotations

import contextlib
import fcntl
import os
import select
import struct
import time
from pathlib import Path
from typing import NamedTuple

import msgspec

from whydied.linux import proc
from whydied.places import RunDirectory
from whydied.records import ProgramEnded, ProgramStarted, RunEnded
from whydied.run.disk import DiskSync
from whydied.run.journal import Journal
from whydied.run.observe import limits
from whydied.run.observe.kernel_log import KernelLog
from whydied.run.observe.observer import Observer
from whydied.run.observe.process_tree import ProcessTree
from whydied.run.opening import recorded_arguments, run_started

PIDFD = 3
"""The descriptor on which the watcher gets a handle of the program."""
# struct pidfd_info of linux/pidfd.h, its first version: mask, cgroup, eleven ids, exit code.
_INFO = struct.Struct("=QQ11Ii")
_GET_INFO = (3 << 30) | (_INFO.size << 16) | (0xFF << 8) | 11
_INFO_EXIT = 1 << 3
_REAP_WAIT_S = 0.3


class WatchRequest(msgspec.Struct, frozen=True, kw_only=True):
    """What the program tells its watcher. Paths are bytes, because not every path is UTF-8."""

    run: bytes
    pid: int
    started_ticks: int
    argv: list[str]
    cwd: bytes
    name: str | None = None
    labels: dict[str, str] = {}
    runs_fallback: str | None = None
    json: bytes | None = None
    quiet: bool = False


class ExitStatus(NamedTuple):
    """The status as `wait` gives it, or None, and where it comes from."""

    status: int | None
    source: str


def encode(request: WatchRequest) -> str:
    return msgspec.json.encode(request).decode()


def decode(text: str) -> WatchRequest:
    return msgspec.json.decode(text, type=WatchRequest)


def watch(request: WatchRequest) -> RunDirectory:
    """Record the program from outside until it has ended."""
    run = os.fsdecode(request.run)
    directory = RunDirectory(Path(run))
    journal = Journal(
        directory,
        run_started(
            directory,
            request.argv,
            supervisor="start",
            name=request.name,
            labels=request.labels,
            runs_fallback=request.runs_fallback,
            cwd=os.fsdecode(request.cwd),
        ),
    )
    limit = limits.standing_limit()
    for counted in limits.count_kills(limit, "start"):
        journal.write(counted)
    journal.write(limit.applied())
    journal.write(ProgramStarted(pid=request.pid, argv=recorded_arguments(request.argv)))
    disk = DiskSync(directory.streams, directory.sources)
    disk.start()
    observer = Observer(journal, directory, ProcessTree(request.pid, run), limit, KernelLog())
    found = _attend(request, observer)
    observer.conclude()
    journal.write(_program_ended(request, found))
    journal.write(RunEnded())
    disk.stop()
    return directory


def let_go_of_descriptors() -> None:
    """Close what the program let its children inherit: a pipe that it waits on must not stay open for our sake."""
    first = PIDFD + 1 if _is_pidfd(PIDFD) else PIDFD
    with contextlib.suppress(OSError):
        for name in os.listdir("/proc/self/fd"):
            if int(name) >= first:
                with contextlib.suppress(OSError):
                    os.close(int(name))


def exit_status(pid: int, started_ticks: int, pidfd: int | None) -> ExitStatus:
    """How a process that has just ended did so, as far as the system tells someone who is not its parent."""
    status: int | None = None
    give_up = time.monotonic() + _REAP_WAIT_S
    while True:
        stat = proc.stat_of(pid)
        is_zombie = stat is not None and stat.started_ticks == started_ticks and stat.state in "ZX"
        if is_zombie and stat is not None:
            status = stat.exit_code
        told = _told_by_pidfd(pidfd)
        if told is not None:
            return ExitStatus(told, "pidfd")
        if not is_zombie or time.monotonic() > give_up:
            break
        time.sleep(0.005)
    return ExitStatus(status, "zombie" if status is not None else "unknown")


def _attend(request: WatchRequest, observer: Observer) -> ExitStatus:
    pidfd = PIDFD if _is_pidfd(PIDFD) else None
    poller = select.poll()
    if pidfd is not None:
        poller.register(pidfd, select.POLLIN)
    while True:
        if poller.poll(max(0.0, observer.due_in()) * 1000):
            break
        if observer.due_in() <= 0:
            observer.look()
        if pidfd is None and not _is_alive(request):
            break
    return exit_status(request.pid, request.started_ticks, pidfd)


def _is_alive(request: WatchRequest) -> bool:
    stat = proc.stat_of(request.pid)
    return stat is not None and stat.started_ticks == request.started_ticks and stat.state not in "ZX"


def _is_pidfd(fd: int) -> bool:
    try:
        return os.readlink(f"/proc/self/fd/{fd}").startswith(("anon_inode:[pidfd]", "pidfd:"))
    except OSError:
        return False


def _told_by_pidfd(pidfd: int | None) -> int | None:
    if pidfd is None:
        return None
    with contextlib.suppress(OSError):
        answer = fcntl.ioctl(pidfd, _GET_INFO, _INFO.pack(_INFO_EXIT, *[0] * 13))
        fields = _INFO.unpack(answer)
        if fields[0] & _INFO_EXIT:
            return int(fields[-1])
    return None


def _program_ended(request: WatchRequest, found: ExitStatus) -> ProgramEnded:
    status = found.status
    now_s = time.clock_gettime(time.CLOCK_BOOTTIME)
    return ProgramEnded(
        pid=request.pid,
        exit_code=os.WEXITSTATUS(status) if status is not None and os.WIFEXITED(status) else None,
        signal=os.WTERMSIG(status) if status is not None and os.WIFSIGNALED(status) else None,
        wall_s=max(0.0, now_s - request.started_ticks / proc.TICKS_PER_SECOND),
        from_=found.source,
    )
