"""How a process below the program ended. Nobody waits for it but its parent, so its own recording has to tell. Pure."""

from __future__ import annotations

import re
import signal

from whydied.diagnose.case import Case
from whydied.read.recording import ProcessView, Recording
from whydied.records import ProgramEnded

_FAULTS = {
    "Segmentation fault": signal.SIGSEGV,
    "Aborted": signal.SIGABRT,
    "Bus error": signal.SIGBUS,
    "Illegal instruction": signal.SIGILL,
    "Floating point exception": signal.SIGFPE,
    "Floating-point exception": signal.SIGFPE,
}
_CONSEQUENCES = {
    "BrokenProcessPool",
    "CalledProcessError",
    "BrokenPipeError",
    "ConnectionResetError",
    "EOFError",
    "TerminatedWorkerError",
}


def failed_child(case: Case) -> Case | None:
    """The last process below the program that ended badly, where the program's own end says that it was the reason."""
    if case.is_child or not _is_consequence(case):
        return None
    for child in reversed(case.recording.processes):
        ended = _end_of(case.recording, child) if child is not case.principal else None
        if ended is not None:
            return Case(case.recording, child, ended)
    return None


def _is_consequence(case: Case) -> bool:
    raised = case.uncaught
    if raised is not None:
        return any(link.type in _CONSEQUENCES for link in raised.chain)
    return bool(case.exit_code) or (case.signal is None and bool(case.recording.oom_kills()))


def _end_of(recording: Recording, child: ProcessView) -> ProgramEnded | None:
    """How a process ended badly, or None where nothing says that it did."""
    fault = next((fault.reason for fault in recording.faults if fault.pid == child.pid and fault.reason), "")
    number = next((number for words, number in _FAULTS.items() if fault.startswith(words)), None)
    asked = child.exit_request
    if number is not None:
        return ProgramEnded(pid=child.pid, signal=number, from_="faulthandler")
    if asked is not None and asked.signal is not None and not child.exited_orderly:
        return ProgramEnded(pid=child.pid, signal=asked.signal, from_="ExitRequested")
    if child.uncaught is not None:
        return ProgramEnded(pid=child.pid, exit_code=1, from_="ExceptionRaised")
    named = any(re.search(rf"[Kk]illed process {child.pid}\b", line) for line in recording.kernel_lines)
    abrupt = not child.exited_orderly and asked is None
    if named or (abrupt and recording.oom_kills()):
        return ProgramEnded(pid=child.pid, signal=signal.SIGKILL, from_="kernel log" if named else "OomCounted")
    return None
