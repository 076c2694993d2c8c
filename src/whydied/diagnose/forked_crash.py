"""A forked process that crashed in TensorFlow, or that CUDA refused, with TensorFlow started before the fork. Pure.

The words of CUDA about a fork are plain. A crash is put down to the fork only where it was TensorFlow's own code that
crashed, with nothing said that has another reason (a failed check).
"""

from __future__ import annotations

import re
import signal

from whydied import words
from whydied.diagnose.case import Case, prefix
from whydied.diagnose.catalogue.match import spoken, words_of
from whydied.diagnose.crash.ending_evidence import wait_status
from whydied.diagnose.crash.native_crash import crash_of, frame_words, native_part, package_of
from whydied.diagnose.finding import Certainty, Culprit, Evidence, Finding, Location
from whydied.read.recording import ProcessView
from whydied.records import ForkSeen, SessionOpened, SessionRan
from whydied.texts import gpu_failures

_REFUSED = gpu_failures.FORKED.pattern
_PACKAGES = ("tensorflow", "jaxlib", "keras")
_LIBRARY = re.compile(r"[/\\](?:tensorflow|tensorflow_cpu)[/\\]")
_STARTED = {"context": "its eager context", "session": "a session"}


def forked_crash(case: Case) -> Finding | None:
    process = case.principal
    forked = process.first(ForkSeen) if process else None
    started = _started(case, process, forked) if process and forked else ""
    if process is None or forked is None or not started:
        return None
    said = _REFUSED.search(spoken(case))
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
    mine = [frame for frame in forked.frames if frame.user]
    place: Location | None = case.locate(mine[-1]) if mine else None
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
        advice=[
            'Start such processes with multiprocessing.get_context("spawn"), and import TensorFlow inside them; or '
            "fork before TensorFlow is used.",
        ],
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
