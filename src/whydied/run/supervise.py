"""Runs the program from before its start until after its end and records what is seen from outside; this is the parent.

One thread takes signals, samples and waits; one more for each relayed stream, and one for the disk. It never imports
TensorFlow and prints nothing.

Invariant: the program's exit status comes back unchanged, 128+N for signal N; when the program cannot be
started that is recorded too, so that every run has a report; a failure of ours while the program runs is recorded and
the program runs on to its end.
"""

from __future__ import annotations

import contextlib
import functools
import os
import signal
import time
import traceback
from collections.abc import Callable, Collection
from pathlib import Path
from typing import NamedTuple

from whydied import places, redact
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
from whydied.run import launch, signals, stdio
from whydied.run.command import Command
from whydied.run.disk import DiskSync
from whydied.run.journal import Journal
from whydied.run.launch import Launched
from whydied.run.loop import Ending, Loop
from whydied.run.observe import limits, process_tree
from whydied.run.observe.bad_step_notice import BadStepNotice
from whydied.run.observe.hang import HangWatch, OutputCount
from whydied.run.observe.kernel_log import KernelLog
from whydied.run.observe.last_words import LastWords
from whydied.run.observe.limits import Limit
from whydied.run.observe.observer import Observer
from whydied.run.observe.process_tree import ProcessTree
from whydied.run.opening import recordable, recorded_arguments, run_started, write_requests
from whydied.run.shared_limit import SharedLimit
from whydied.run.signals import Canary
from whydied.run.stdio import Stdio
from whydied.run.warden import Warden

GRACE_S = 5.0
"""Between SIGTERM and SIGKILL at the time limit."""
_MOST_ERRORS = 20
_GUEST_NOISE_BYTES = 256
"""The threads of a kernel wake each other by a few bytes a second, whatever the cell does."""
_ORDERS = (signal.SIGTERM, signal.SIGINT, signal.SIGHUP)
"""Signals after which the processes of a group end themselves."""


class Guest(NamedTuple):
    """A program that somebody else believes to have started, and sends signals to us in its place: a Jupyter kernel. It
    leads a process group of its own, hears signals only from us, and dies with us and with who started us."""

    shown: tuple[str, ...]
    """The program as reports name it."""
    environment: tuple[tuple[str, str], ...] = ()
    is_orphan: Callable[[], bool] | None = None
    """Whether who started us is gone, where that must not be outlived."""
    secrets: tuple[bytes, ...] = ()
    """What must not be in a recording, wherever it was printed."""
    prepare: Callable[[RunDirectory], None] | None = None
    """Called with the run's directory before the start."""
    started: Callable[[RunDirectory], None] | None = None
    """The same after it."""


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
    guest: Guest | None = None
    hang_after_s: float = 0.0
    """So long without progress is a hang; 0 is never."""
    stop_on_hang: bool = False
    say: Callable[[str], None] | None = None
    """Shows the user a note while the program runs."""
    enter: Callable[[], None] | None = None
    """What the program's process does before it executes."""


class RunOutcome(NamedTuple):
    """`failure` is set, with exit status 125, when the program could not be started; `signal` when one ended it."""

    directory: RunDirectory
    exit_status: int
    failure: NotStarted | None = None
    signal: int | None = None
    pid: int | None = None


def supervise(request: RunRequest, mask: Collection[int] | None = None) -> RunOutcome:
    """Run a program. Raises NoRoom where nothing can be recorded. A caller that holds the signals itself, to hold them
    longer, gives the `mask` that was there before."""
    if mask is None:
        with signals.blocked() as before:
            return supervise(request, before)
    closed = stdio.occupy()
    label = request.name or ("kernel" if request.guest else request.command.label)
    directory, fallback = places.new_run(request.runs, label)
    journal = Journal(
        directory,
        run_started(
            directory,
            request.guest.shown if request.guest else request.command.shown,
            supervisor="kernel" if request.guest else "run",
            name=request.name,
            labels=dict(request.labels),
            timeout_s=request.timeout_s,
            runs_fallback=fallback,
        ),
    )
    write_requests(directory, request.wishes)
    if request.guest and request.guest.prepare:
        _guarded(journal, "run.prepare", functools.partial(request.guest.prepare, directory))
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
    # Before the pipes: none of these processes must hold any end of them.
    shared = SharedLimit(limit)
    canary = None if request.guest else _make_canary(journal)
    warden = Warden() if request.guest else None
    try:
        for counted in limits.count_kills(limit, "start"):
            journal.write(counted)
        older = process_tree.all_pids()
        output = OutputCount(_recording_of_output(request, journal))
        connected = stdio.connect(closed, output)
        began_s = time.monotonic()
        launched = _launch(request, directory, connected, limit, shared, mask)
        if launched.pid is None:
            failure = NotStarted(*launch.describe(launched.exec_errno or 0, request.command.argv[0]))
            return _not_started(directory, journal, failure, request.command.argv[0], [])
        limit = _note_start(request, journal, launched, limit)
        last_words = LastWords(launched.pid) if request.guest else None
        if warden:
            warden.guard(launched.pid, limit.made.path if limit.made else None)
        if request.guest and request.guest.started:
            _guarded(journal, "run.started", functools.partial(request.guest.started, directory))
        family = ProcessTree(launched.pid, str(directory.path), limit.made, older)
        observer = Observer(journal, directory, family, limit, kernel_log)
        say = output.between_lines(request.say)
        hang = HangWatch(
            directory,
            journal,
            family,
            output,
            request.hang_after_s,
            say,
            stop=request.stop_on_hang,
            noise_bytes=_GUEST_NOISE_BYTES if request.guest else 0,
        )
        loop = Loop(
            launched.pid,
            journal,
            observer,
            connected.relays,
            canary,
            watched_bytes=limit.watched_bytes,
            timeout_s=request.timeout_s,
            grace_s=request.grace_s,
            own_group=request.guest is not None,
            is_orphan=request.guest.is_orphan if request.guest else None,
            last_words=last_words,
            hang=hang,
            notice=BadStepNotice(directory, say),
        )
        ending = _attend(loop, shared, journal, connected, directory)
        _guarded(journal, "run.hang", hang.finish)
        if last_words:
            _conclude_guest(request, journal, launched.pid, ending, last_words)
        _guarded(journal, "run.observer", observer.conclude)
    finally:
        shared.end()
        if canary:
            canary.end()
        if warden:
            warden.dismiss()
        kernel_log.close()
        kept = limits.remove_group(limit.made) if limit.made else None
    if kept:
        journal.write(RecorderLimited(what="control group", reason=kept))
    ended = ending._asdict()
    journal.write(ProgramEnded(pid=launched.pid, wall_s=ended.pop("at_s") - began_s, **ended))
    journal.write(RunEnded())
    status = 128 + ending.signal if ending.signal else ending.exit_code or 0
    return RunOutcome(directory, status, signal=ending.signal, pid=launched.pid)


def _conclude_guest(request: RunRequest, journal: Journal, pid: int, ending: Ending, last_words: LastWords) -> None:
    """Keep what a guest wrote last. What is left of its group after a crash holds its ports, and who started us would
    kill that group by its number, which is ours."""
    record = _recording_of_output(request, journal)
    _guarded(journal, "run.last_words", lambda: record("stderr", last_words.take()))
    if ending.signal not in _ORDERS and (ending.signal or ending.exit_code):
        with contextlib.suppress(OSError):
            os.killpg(pid, signal.SIGKILL)


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
    request: RunRequest,
    directory: RunDirectory,
    connected: Stdio,
    limit: Limit,
    shared: SharedLimit,
    mask: Collection[int],
) -> Launched:
    try:
        return launch.start(
            request.command.argv,
            _environment(request, directory, limit),
            connected.child_fds,
            mask,
            f"{limit.made.path}/cgroup.procs" if limit.made else None,
            own_group=request.guest is not None,
            oom_score_adj=shared.program_adjustment,
            enter=request.enter,
        )
    except OSError as error:
        # No process to be had: the user's limit is reached, or memory.
        return Launched(None, error.errno)
    finally:
        for fd in connected.to_close:
            os.close(fd)


def _environment(request: RunRequest, directory: RunDirectory, limit: Limit) -> dict[str, str]:
    env = commands.environment(directory, options=request.options, watched_bytes=limit.watched_bytes)
    return {**env, **dict(request.guest.environment)} if request.guest else env


def _recording_of_output(request: RunRequest, journal: Journal) -> Callable[[str, bytes], None]:
    """What records the output, without the secrets of a guest and what looks like one."""
    secrets = request.guest.secrets if request.guest else ()

    def record(channel: str, data: bytes) -> None:
        for secret in secrets:
            data = data.replace(secret, redact.HIDDEN.encode())
        journal.write_output(channel, redact.output(data))

    return record


def _note_start(request: RunRequest, journal: Journal, launched: Launched, limit: Limit) -> Limit:
    """Record what holds for the program; the limit, watched if the program could not join its group."""
    if launched.group_errno is not None and limit.made:
        limits.remove_group(limit.made)
        reason = f"cannot join the cgroup {limit.made.path}: {os.strerror(launched.group_errno)}"
        limit = limits.watched_limit(limit.limit_bytes, limits.standing_limit().group, reason)
    address_space = limits.address_space_limit()
    if address_space:
        journal.write(address_space)
    journal.write(limit.applied())
    journal.write(ProgramStarted(pid=launched.pid or 0, argv=recorded_arguments(request.command.argv)))
    return limit


def _attend(loop: Loop, shared: SharedLimit, journal: Journal, connected: Stdio, directory: RunDirectory) -> Ending:
    disk = DiskSync(directory.streams, directory.sources)
    disk.start()
    for relay in connected.relays:
        relay.start()
    ending = _to_end(loop, journal)
    shared.await_room()
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


def _not_started(
    directory: RunDirectory, journal: Journal, failure: NotStarted, wanted: str, near: list[str]
) -> RunOutcome:
    near = [recordable(name) for name in near]
    journal.write(ProgramNotStarted(reason=recordable(str(failure)), wanted=recordable(wanted), near=near))
    journal.write(RunEnded())
    return RunOutcome(directory, failure.exit_status, failure)
