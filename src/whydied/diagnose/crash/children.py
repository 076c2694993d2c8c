"""How a process below the program ended. Nobody waits for it but its parent, so its own recording has to tell. Pure."""

from __future__ import annotations

import os
import re
import signal

from whydied.diagnose.case import Case
from whydied.diagnose.hangs import stalls
from whydied.read.recording import ProcessView, Recording
from whydied.read.stall import Waiter
from whydied.records import LineSampled, ProgramEnded, RaisedException
from whydied.source.statements import raises_over

_CONSEQUENCES = {
    "BrokenProcessPool",
    "CalledProcessError",
    "BrokenPipeError",
    "ConnectionResetError",
    "TerminatedWorkerError",
}
_BETWEEN_PROCESSES = ("/multiprocessing/", "/concurrent/futures/", "/subprocess.py", "/joblib/")
"""Where a program waits for what other processes bring."""
_OF_A_CHILD = re.compile(
    r"\b(?:exitcode|returncode|is_alive|CalledProcessError|BrokenProcessPool|BrokenPipeError|EOFError|Empty|"
    r"TimeoutError|TimeoutExpired)\b|\.poll\(\)"
)
_BEGINS = ("/process.py", "/popen_fork.py")
"""Where a worker process begins, whatever it waits for."""
_BROUGHT_BY_PROCESSES = frozenset({"pool", "pipe", "future", "queue", "full queue", "event", "lock", "semaphore"})


FEWEST_REPLACED = 3
"""As many workers that failed at the same line are not chance."""
_WAITS_IN = ("threading.py", "pool.py", "connection.py", "queues.py", "popen_fork.py", "synchronize.py")
LINGERING_S = 5.0
"""A child that ended longer before the program's end is not taken as the reason of an exit that names no child."""


def failed_child(case: Case) -> Case | None:
    """The last process below the program that ended badly, where the program's own end says that it was the reason."""
    if case.is_child:
        return None
    if (replaced := _replaced_in_vain(case)) is not None:
        return replaced
    if (seen := stalls.stall_of(case)) is not None:
        return _awaited_in_vain(case, seen)
    is_about_one = names_a_child(case) or _waited_for_one(case)
    if not (is_about_one or _may_follow_a_child(case)):
        return None
    for child in reversed(case.recording.processes):
        ended = _end_of(case.recording, child) if child is not case.principal else None
        if ended is None or _went_on(case, child):
            continue
        if is_about_one or _ended_with(case, child):
            return Case(case.recording, child, ended)
    return None


def _replaced_in_vain(case: Case) -> Case | None:
    """The first of several workers that failed alike, where the program waited for workers until somebody ended it: a
    pool starts another for each that fails, so that there is always one and never a result."""
    last = case.records.last(LineSampled)
    if not case.was_stopped or last is None or last.innermost is None:
        return None
    if os.path.basename(last.innermost.file) not in _WAITS_IN:
        return None
    alike: dict[tuple[str, str, int], list[ProcessView]] = {}
    for child in case.recording.processes:
        if child is not case.principal and child.uncaught is not None:
            link = child.uncaught.chain[0]
            mine = [frame for frame in link.frames if frame.user and not frame.file.startswith("<")]
            if mine:
                alike.setdefault((link.type, mine[-1].file, mine[-1].line), []).append(child)
    most = max(alike.values(), key=len, default=[])
    if len(most) < FEWEST_REPLACED:
        return None
    return Case(case.recording, most[0], ProgramEnded(pid=most[0].pid, exit_code=1, from_="ExceptionRaised"))


def _awaited_in_vain(case: Case, seen: stalls.Seen) -> Case | None:
    """The first process that ended badly before the program stood still, where it waits for what processes bring."""
    last = seen.stall.chain[-1] if seen.stall.chain else None
    if last is None or seen.stall.circle or not seen.stall.hangs or not _is_brought_by_processes(last):
        return None
    living = {process.pid for process in seen.stopped.processes if process.state not in "ZX"}
    for child in case.recording.processes:
        if child is case.principal or child.pid in living or child.entries[0].at_ns / 1e9 > seen.began_s + LINGERING_S:
            continue
        ended = _end_of(case.recording, child) or _vanished(child)
        if ended is not None:
            return Case(case.recording, child, ended)
    return None


def _is_brought_by_processes(waiter: Waiter) -> bool:
    """Whether another process could bring what is waited for: `queue.Queue` and `threading.Lock` are for threads."""
    if waiter.stand.kind in ("pool", "pipe", "future") or waiter.thread is None:
        return waiter.stand.kind in _BROUGHT_BY_PROCESSES
    if waiter.stand.kind not in _BROUGHT_BY_PROCESSES:
        return False
    if waiter.stand.kind == "lock":
        # The recorder knows the locks of threads, so this one is of another kind.
        return not any(use.how == "waits" for use in waiter.thread.locks)
    return any("/multiprocessing/" in frame.file and not frame.file.endswith(_BEGINS) for frame in waiter.thread.frames)


def _vanished(child: ProcessView) -> ProgramEnded | None:
    """A process that is not there any more and left no word of its end: only SIGKILL leaves none."""
    if child.exited_orderly or child.exit_request is not None:
        return None
    return ProgramEnded(pid=child.pid, signal=signal.SIGKILL, from_="its recording, which stops")


def _went_on(case: Case, child: ProcessView) -> bool:
    """Whether a wrapper (a shell script) started another process after this one had ended: then it bore that end."""
    if case.recording.process_of_program is not None:
        return False
    begun = (other.entries[0].at_ns / 1e9 for other in case.recording.processes if other.entries)
    return any(at_s > child.last_at_s for at_s in begun)


def names_a_child(case: Case) -> bool:
    """Whether the exception that ended the program says that another process failed."""
    raised = case.uncaught
    return raised is not None and any(link.type in _CONSEQUENCES or _lost_peer(link) for link in raised.chain)


def _waited_for_one(case: Case) -> bool:
    """Whether the program gave up waiting for another process, or raised over what had become of one: `queue.Empty`, a
    timeout, an error of its own under `if worker.exitcode:`."""
    raised = case.uncaught
    if raised is None:
        return False
    frames = [frame for link in raised.chain for frame in link.frames]
    innermost = [link.frames[-1] for link in raised.chain if link.frames]
    return any(part in frame.file for frame in innermost for part in _BETWEEN_PROCESSES) or any(
        frame.user and raises_over(case.sources, frame.file, frame.line, _OF_A_CHILD) for frame in frames
    )


def _lost_peer(link: RaisedException) -> bool:
    """Whether the other end of a pipe between processes was closed."""
    return link.type == "EOFError" and any("/multiprocessing/connection.py" in frame.file for frame in link.frames)


def _may_follow_a_child(case: Case) -> bool:
    """Whether the program ended badly, or lost a process to the OOM killer, without a reason of its own."""
    if case.uncaught is not None:
        return False
    return bool(case.exit_code) or (case.signal is None and lost_unnoticed(case))


def lost_unnoticed(case: Case) -> bool:
    """Whether the OOM killer took a process of a program that looks nowhere at what becomes of its processes. One that
    does, and ends in good order, has done without it."""
    return case.recording.own_oom_kills() and not (
        case.exit_code == 0 and any(_OF_A_CHILD.search("\n".join(source.lines)) for source in case.sources.values())
    )


def _ended_with(case: Case, child: ProcessView) -> bool:
    """Whether a child ended shortly before the program did, or was taken by the kernel."""
    end = case.recording.supervisor.last_at_s
    return child.pid in case.recording.killed_pids or end - child.last_at_s <= LINGERING_S


def _end_of(recording: Recording, child: ProcessView) -> ProgramEnded | None:
    """How a process ended badly, or None where nothing says that it did."""
    number = next((fault.signal for fault in recording.faults if fault.pid == child.pid and fault.reason), None)
    asked = child.exit_request
    if number is not None:
        return ProgramEnded(pid=child.pid, signal=number, from_="faulthandler")
    if asked is not None and asked.signal == signal.SIGKILL and not child.exited_orderly:
        return ProgramEnded(pid=child.pid, signal=asked.signal, from_="ExitRequested")
    if child.uncaught is not None:
        return ProgramEnded(pid=child.pid, exit_code=1, from_="ExceptionRaised")
    if child.pid in recording.killed_pids:
        return ProgramEnded(pid=child.pid, signal=signal.SIGKILL, from_="kernel log")
    abrupt = not child.exited_orderly and asked is None
    if abrupt and recording.own_oom_kills() and not recording.killed_pids:
        return ProgramEnded(pid=child.pid, signal=signal.SIGKILL, from_="OomCounted")
    return None
