"""Runs the program from before its start until after its end and records what is seen from outside; this is the parent.

One thread takes signals, samples and waits; one more for each relayed stream, and one for the disk. It never imports
TensorFlow and prints nothing.

What always holds: the program's exit status comes back unchanged, 128+N for signal N; when the program cannot be
started that is recorded too, so that every run has a report; a failure of ours while the program runs is recorded and
the program runs on to its end.
"""

from __future__ import annotations

import os
import time
import traceback
from collections.abc import Callable, Collection
from pathlib import Path
from typing import NamedTuple

from whydied import places
from whydied.errors import NotStarted
from whydied.places import RunDirectory
from whydied.records import (
    InternalError,
    ProgramEnded,
    ProgramNotStarted,
    ProgramStarted,
    RecorderLimited,
    RunEnded,
    Wishes,
)
from whydied.run import command as commands
from whydied.run import launch, limits, signals, stdio, tree, wishes
from whydied.run.command import Command
from whydied.run.disk import DiskSync
from whydied.run.journal import Journal
from whydied.run.kernel_log import KernelLog
from whydied.run.launch import Launched
from whydied.run.limits import Limit
from whydied.run.loop import Ending, Loop
from whydied.run.observer import Observer
from whydied.run.opening import recordable, recorded_arguments, run_started
from whydied.run.signals import Canary
from whydied.run.stdio import Stdio
from whydied.run.tree import ProcessTree

GRACE_S = 5.0
"""Between SIGTERM and SIGKILL at the time limit."""
_MOST_ERRORS = 20


class RunRequest(NamedTuple):
    command: Command
    runs: Path | None = None
    name: str | None = None
    labels: tuple[tuple[str, str], ...] = ()
    memory_limit_bytes: int | None = None
    timeout_s: float | None = None
    options: tuple[str, ...] = ()
    """Words for the recorder: see `places.ENV_OPTIONS`."""
    wishes: Wishes = Wishes()
    grace_s: float = GRACE_S


class RunOutcome(NamedTuple):
    """`failure` is set, with exit status 125, when the program could not be started."""

    directory: RunDirectory
    exit_status: int
    failure: NotStarted | None = None


def supervise(request: RunRequest, mask: Collection[int] | None = None) -> RunOutcome:
    """Run a program. Raises NoRoom where nothing can be recorded. A caller that holds the signals itself, to hold them
    longer, gives the `mask` that was there before."""
    if mask is None:
        with signals.held() as before:
            return supervise(request, before)
    closed = stdio.occupy()
    directory, fallback = places.new_run(request.runs, request.name or request.command.label)
    journal = Journal(
        directory,
        run_started(
            directory,
            request.command.shown,
            name=request.name,
            labels=dict(request.labels),
            timeout_s=request.timeout_s,
            runs_fallback=fallback,
        ),
    )
    wishes.write(directory, request.wishes)
    missing = commands.find_missing(request.command)
    if missing:
        failure = NotStarted(missing.sentence, missing.hint)
        return _not_started(directory, journal, failure, missing.wanted, missing.near)
    return _run(request, directory, journal, mask, closed)


def _run(
    request: RunRequest,
    directory: RunDirectory,
    journal: Journal,
    mask: Collection[int],
    closed: Collection[int],
) -> RunOutcome:
    limit = _choose_limit(request, directory)
    kernel_log = KernelLog()
    # Before the pipes: the canary must not hold any end of them.
    canary = _make_canary(journal)
    try:
        for counted in limits.count_kills(limit, "start"):
            journal.write(counted)
        older = tree.all_pids()
        connected = stdio.connect(closed, journal.write_output)
        began_s = time.monotonic()
        launched = _launch(request, directory, connected, limit, mask)
        if launched.pid is None:
            failure = NotStarted(*launch.describe(launched.exec_errno or 0, request.command.argv[0]))
            return _not_started(directory, journal, failure, request.command.argv[0], [])
        limit = _note_start(request, journal, connected, launched, limit)
        family = ProcessTree(launched.pid, str(directory.path), limit.made, older)
        observer = Observer(journal, directory, family, limit, kernel_log)
        loop = Loop(
            launched.pid,
            journal,
            observer,
            connected.relays,
            canary,
            watched_bytes=limit.watched_bytes,
            timeout_s=request.timeout_s,
            grace_s=request.grace_s,
        )
        ending = _attend(loop, journal, connected, directory)
        _guarded(journal, "run.observer", observer.conclude)
    finally:
        if canary:
            canary.end()
        kernel_log.close()
        kept = limits.remove_group(limit.made) if limit.made else None
    if kept:
        journal.write(RecorderLimited(what="control group", reason=kept))
    journal.write(_program_ended(launched.pid, ending, ending.at_s - began_s))
    journal.write(RunEnded())
    return RunOutcome(directory, 128 + ending.signal if ending.signal else ending.exit_code or 0)


def _make_canary(journal: Journal) -> Canary | None:
    try:
        return Canary()
    except OSError as error:
        reason = f"a signal to the group reaches the program twice: {error.strerror}"
        journal.write(RecorderLimited(what="canary", reason=reason))
        return None


def _choose_limit(request: RunRequest, directory: RunDirectory) -> Limit:
    if request.memory_limit_bytes is None:
        return limits.standing_limit()
    return limits.wanted_limit(request.memory_limit_bytes, directory.id)


def _launch(
    request: RunRequest, directory: RunDirectory, connected: Stdio, limit: Limit, mask: Collection[int]
) -> Launched:
    try:
        return launch.start(
            request.command.argv,
            commands.environment(directory, options=request.options, watched_bytes=limit.watched_bytes),
            connected.child_fds,
            mask,
            f"{limit.made.path}/cgroup.procs" if limit.made else None,
        )
    except OSError as error:
        # No process to be had: the user's limit is reached, or memory.
        return Launched(None, error.errno)
    finally:
        for fd in connected.to_close:
            os.close(fd)


def _note_start(request: RunRequest, journal: Journal, connected: Stdio, launched: Launched, limit: Limit) -> Limit:
    """Record what holds for the program; the limit, watched if the program could not join its group."""
    if launched.group_errno is not None and limit.made:
        limits.remove_group(limit.made)
        reason = f"cannot join the control group {limit.made.path}: {os.strerror(launched.group_errno)}"
        limit = limits.watched_limit(limit.limit_bytes, limits.standing_limit().group, reason)
    address_space = limits.address_space_limit()
    if address_space:
        journal.write(address_space)
    journal.write(limit.applied())
    journal.write(
        ProgramStarted(pid=launched.pid or 0, argv=recorded_arguments(request.command.argv), stdio=connected.words)
    )
    return limit


def _attend(loop: Loop, journal: Journal, connected: Stdio, directory: RunDirectory) -> Ending:
    disk = DiskSync(directory.streams)
    disk.start()
    for relay in connected.relays:
        relay.start()
    ending = _to_end(loop, journal)
    _guarded(journal, "run.relay", loop.finish_output)
    for relay in connected.relays:
        if relay.error:
            journal.write(InternalError(where="run.relay", error="a relay failed", traceback=relay.error))
    disk.stop()
    return ending


def _to_end(loop: Loop, journal: Journal) -> Ending:
    errors = 0
    while True:
        try:
            return loop.run_to_end()
        except Exception as error:
            # The program must not pay for our bug: note it and go on attending, a little slower.
            errors += 1
            if errors <= _MOST_ERRORS:
                journal.write(_own_error("run.loop", error))
            time.sleep(0.05)


def _guarded(journal: Journal, where: str, act: Callable[[], None]) -> None:
    try:
        act()
    except Exception as error:
        journal.write(_own_error(where, error))


def _own_error(where: str, error: Exception) -> InternalError:
    return InternalError(where=where, error=repr(error), traceback=traceback.format_exc())


def _program_ended(pid: int, ending: Ending, wall_s: float) -> ProgramEnded:
    return ProgramEnded(
        pid=pid,
        exit_code=ending.exit_code,
        signal=ending.signal,
        core_dumped=ending.core_dumped,
        wall_s=wall_s,
        user_s=ending.user_s,
        system_s=ending.system_s,
        peak_rss_bytes=ending.peak_rss_bytes,
    )


def _not_started(
    directory: RunDirectory, journal: Journal, failure: NotStarted, wanted: str, near: list[str]
) -> RunOutcome:
    near = [recordable(name) for name in near]
    journal.write(ProgramNotStarted(reason=recordable(str(failure)), wanted=recordable(wanted), near=near))
    journal.write(RunEnded())
    return RunOutcome(directory, failure.exit_status, failure)
