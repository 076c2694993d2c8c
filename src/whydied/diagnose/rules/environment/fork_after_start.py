"""A forked process waits inside TensorFlow for threads that it never had, or crashes there.

## What it detects
A run that was ended while a process made by `fork` stood still inside TensorFlow, whose threads had been started before
the fork; a process made so that crashed in TensorFlow's native code, or that CUDA refused as not initialised.

## Why it happens
`fork` copies the memory of a process and only the one thread that calls it. TensorFlow's thread pools, queues and locks
are there in the copy as they were in that moment, without the threads that serve them: the first op that hands work to
a pool waits for ever. `multiprocessing` forks by default on Linux before Python 3.14.

## Evidence
How each process began; that its parent had imported TensorFlow before; the stack of the child, which ends inside
TensorFlow; the number of its threads.

## How it is proved
The stack of the child inside TensorFlow, in a process that was forked after its parent had loaded it, and no
processor time: likely. It is certain where the child is seen to have only the threads that it began with. A crash in
TensorFlow's own frames that says no other reason is likely, CUDA's own words are certain.

## Fix
Make processes that use TensorFlow by "spawn", or start them before TensorFlow is used, and import it inside them.

## Known problems
A child that stands in another native library with threads (OpenBLAS, OpenMP) for the same reason is called hung.

## References
TF8220, TF57877 (tensorflow/tensorflow), K11634 (keras-team/keras): see docs. man 2 fork; multiprocessing, "Contexts and
start methods".
"""

from __future__ import annotations

import re
import signal

from whydied import words
from whydied.diagnose.case import Case, line_words, prefix
from whydied.diagnose.catalogue.match import spoken, words_of
from whydied.diagnose.crash.ending_evidence import wait_status
from whydied.diagnose.crash.native_crash import crash_of, frame_words, native_part, package_of
from whydied.diagnose.finding import Certainty, Culprit, Evidence, Finding, Location
from whydied.diagnose.hangs import stalls
from whydied.read.recording import ProcessView
from whydied.read.stall import Waiter
from whydied.records import ForkSeen, Frame, ModuleImported, ProcessWait, SessionOpened, SessionRan
from whydied.source.edits.edit import Change
from whydied.source.edits.programs.spawned_processes import spawned
from whydied.source.trees import located
from whydied.texts import gpu_failures

_PACKAGES = ("tensorflow", "jaxlib", "keras")
_LIBRARY = re.compile(r"[/\\](?:tensorflow|tensorflow_cpu)[/\\]")
_STARTED = {"context": "its eager context", "session": "a session"}

_INNERMOST = 12
_BEGAN_WITH = 3
"""The thread of the fork, the recorder's, and one that the program may have started."""

_ADVICE = [
    'Start such processes with multiprocessing.get_context("spawn"), and import TensorFlow inside them; or '
    "fork before TensorFlow is used.",
]

ROLE = "cause"


def check(case: Case) -> Finding | None:
    seen = stalls.stall_of(case)
    if seen is None or not seen.stall.hangs:
        return forked_crash(case)
    found = next((waiter for waiter in seen.stall.chain if _stands_in_tensorflow(waiter)), None)
    child = _process(case, found.pid) if found is not None else None
    parent = _parent_with_tensorflow(case, child) if child is not None else None
    if found is None or child is None or parent is None:
        return None
    wait = next((one for one in seen.stopped.processes if one.pid == child.pid), None)
    few = wait is not None and wait.threads <= _BEGAN_WITH
    inner = stalls.place_of(case, found)
    forked = _forked_at(case, found, child) or inner
    place, changes = _spawned(case, forked)
    return Finding(
        message=f"{prefix(place)}process {child.pid} was forked from {_named(case, parent)} after it had loaded "
        f"TensorFlow, and waits inside TensorFlow{_line(inner)} for threads that a fork does not copy",
        certainty="certain" if few else "likely",
        location=place,
        culprit=Culprit(kind="process", name="fork"),
        evidence=[
            stalls.stood_still(seen),
            Evidence(fact=f"process {child.pid} started by", value="fork", source="ProcessBegan"),
            Evidence(fact="TensorFlow already loaded", value=f"in process {parent.pid}", source="ModuleImported"),
            *_threads(wait),
            *stalls.stacks_evidence(case, seen),
        ],
        advice=_ADVICE,
        changes=changes,
    )


def _spawned(case: Case, forked: Location | None) -> tuple[Location | None, list[Change]]:
    """The statement that makes the process and says how it starts, where that can be changed; else the one that forked
    it, such as `start()`."""
    source = case.sources.get(forked.file) if forked is not None else None
    found = spawned(source, forked.file, forked.line) if source is not None and forked is not None else None
    if found is None or forked is None:
        return forked, []
    change = Change(
        title="Start the processes with spawn instead of fork", kind="processes", edits=found.edits, harm="same result"
    )
    return located(case.sources, forked.file, found.line), [change]


def _stands_in_tensorflow(waiter: Waiter) -> bool:
    frames: list[Frame] = waiter.thread.frames[-_INNERMOST:] if waiter.thread else []
    inner = next((frame for frame in reversed(frames) if not frame.user), None)
    return waiter.stand.kind in ("tensorflow", "pipeline") or (inner is not None and "/tensorflow/" in inner.file)


def _process(case: Case, pid: int) -> ProcessView | None:
    """The process of a number, where it was forked."""
    same = [process for process in case.recording.processes if process.pid == pid]
    return same[-1] if same and same[-1].began and same[-1].began.start == "fork" else None


def _parent_with_tensorflow(case: Case, child: ProcessView) -> ProcessView | None:
    """The nearest process above that had loaded TensorFlow before the fork."""
    began_s = child.entries[0].at_ns / 1e9
    current: ProcessView | None = child
    for _ in range(8):
        ppid = current.began.ppid if current and current.began else 0
        current = next((process for process in case.recording.processes if process.pid == ppid), None)
        if current is None:
            return None
        loaded = [at_s for at_s, module in current.timed(ModuleImported) if module.name == "tensorflow"]
        if loaded and loaded[0] < began_s:
            return current
        began_s = min(began_s, current.entries[0].at_ns / 1e9)
    return None


def _forked_at(case: Case, waiter: Waiter, child: ProcessView) -> Location | None:
    """The line that forked: below the child's own frames on its stack, or as the child noted it."""
    forked, noted = waiter.thread.forked_at if waiter.thread else None, child.first(ForkSeen)
    if forked is not None:
        return case.locate(forked)
    return case.locate_user(noted.frames) if noted is not None else None


def _named(case: Case, parent: ProcessView) -> str:
    program = case.recording.program
    return case.program if program is not None and parent.pid == program.pid else f"process {parent.pid}"


def _line(place: Location | None) -> str:
    return f" at {line_words(place)}" if place else ""


def _threads(wait: ProcessWait | None) -> list[Evidence]:
    if wait is None:
        return []
    return [
        Evidence(
            fact=f"threads of process {wait.pid}", value=words.count(wait.threads, "thread"), source="ProgressStopped"
        )
    ]


def forked_crash(case: Case) -> Finding | None:
    process = case.principal
    forked = process.first(ForkSeen) if process else None
    started = _started(case, process, forked) if process and forked else ""
    if process is None or forked is None or not started:
        return None
    said = gpu_failures.FORKED.search(spoken(case))
    if said is not None and (case.uncaught is not None or case.signal is not None):
        return _finding(case, process, forked, started, f"CUDA refuses to work in it: {said[0]}", "certain")
    if case.signal not in (signal.SIGSEGV, signal.SIGABRT, signal.SIGBUS) or words_of(case) is not None:
        return None
    inner = _in_tensorflow(case)
    if inner is None:
        return None
    how = f"it crashed in TensorFlow ({case.signal_name}{f', {inner}' if inner else ''})"
    return _finding(case, process, forked, started, how, "likely")


def _finding(
    case: Case, process: ProcessView, forked: ForkSeen, started: str, how: str, certainty: Certainty
) -> Finding:
    place, changes = _spawned(case, case.locate_user(forked.frames))
    _, seen = case.fault_location()
    evidence = [
        wait_status(case),
        Evidence(fact="TensorFlow had started before the fork", value=started, source="ForkSeen"),
    ]
    if forked.threads:
        lost = f"{words.count(forked.threads, 'thread')} in the parent, 1 in the copy"
        evidence.append(Evidence(fact="threads at the fork", value=lost, source="ForkSeen"))
    return Finding(
        message=f"{prefix(place)}process {process.pid} was forked after TensorFlow had started {started}, and {how}",
        certainty=certainty,
        location=place,
        culprit=Culprit(kind="process", name="fork"),
        evidence=[*evidence, *seen],
        advice=_ADVICE,
        changes=changes,
    )


def _started(case: Case, process: ProcessView, forked: ForkSeen) -> str:
    """What of TensorFlow ran in the parent when the process was forked."""
    if forked.started:
        return _STARTED.get(forked.started, "")
    began_ns = process.entries[0].at_ns if process.entries else 0
    above = process.began.ppid if process.began else 0
    for parent in case.recording.processes:
        ran = [entry for entry in parent.entries if isinstance(entry.record, SessionOpened | SessionRan)]
        if parent.pid == above and any(entry.at_ns < began_ns for entry in ran):
            return _STARTED["session"]
    return ""


def _in_tensorflow(case: Case) -> str | None:
    """The frame of TensorFlow's in which the process crashed, "" where only its Python frames tell; else None."""
    seen = crash_of(case)
    if seen is not None and seen.frames:
        inner = next((frame for frame in native_part(seen) if package_of(frame) in _PACKAGES), None)
        return frame_words(inner) if inner else None
    thread = case.fault.current if case.fault else None
    return "" if thread and thread.frames and _LIBRARY.search(thread.frames[0].file) else None
