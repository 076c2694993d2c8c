"""The GPUs of a run before it failed: what was free, who held the rest, and the words with which it failed. Pure."""

from __future__ import annotations

import re
import signal
from typing import NamedTuple

from whydied import words
from whydied.diagnose.case import Case
from whydied.diagnose.crash.crash_place import crash_place
from whydied.diagnose.crash.ending_evidence import wait_status
from whydied.diagnose.errors.exception_words import evidence_of
from whydied.diagnose.finding import Evidence, Location
from whydied.records import DeviceProcess, ExceptionRaised, GpuFound, GpuSampled, RaisedException
from whydied.texts import python_output

CRASHES = frozenset({signal.SIGABRT, signal.SIGSEGV, signal.SIGBUS, signal.SIGFPE, signal.SIGILL})
_LAST_LINES = 60


class DeviceState(NamedTuple):
    """One GPU: the first look at it, and the last one before the failure with how long before that was."""

    found: GpuFound
    first: GpuSampled
    last: GpuSampled
    age_s: float

    @property
    def name(self) -> str:
        return f"GPU {self.found.index} ({self.found.name}, {words.size(self.found.total_bytes)})"

    @property
    def own_bytes(self) -> int:
        return sum(process.used_bytes or 0 for process in self.last.processes if process.ours)

    @property
    def foreign(self) -> list[DeviceProcess]:
        """Processes of others, the largest first. A process that may be the program's own is not among them."""
        held = [process for process in self.last.processes if process.ours is False and process.used_bytes]
        return sorted(held, key=lambda process: process.used_bytes or 0, reverse=True)

    @property
    def foreign_bytes(self) -> int:
        return sum(process.used_bytes or 0 for process in self.foreign)

    @property
    def free_share(self) -> float:
        return self.last.free_bytes / self.found.total_bytes if self.found.total_bytes else 1.0

    def evidence(self) -> list[Evidence]:
        when = f"{words.duration(self.age_s)} before the failure"
        facts = [
            Evidence(
                fact=f"memory of GPU {self.found.index}, {when}",
                value=f"{words.size(self.last.used_bytes)} of {words.size(self.found.total_bytes)} used, "
                f"{words.size(self.last.free_bytes)} free",
                source="GpuSampled",
            )
        ]
        facts += [
            Evidence(fact=f"held by {who(process)}", value=words.size(process.used_bytes), source="GpuSampled")
            for process in self.last.processes[:5]
            if process.used_bytes
        ]
        versions = [f"driver {self.found.driver}"] if self.found.driver else []
        versions += [f"up to CUDA {self.found.cuda_driver}"] if self.found.cuda_driver else []
        if versions:
            facts.append(Evidence(fact="driver versions", value=", ".join(versions), source="GpuFound"))
        return facts


class Failure(NamedTuple):
    """The words with which the program failed: an exception, or the last lines before a crash."""

    text: str
    link: RaisedException | None = None
    raised: ExceptionRaised | None = None

    def matching(self, pattern: re.Pattern[str]) -> re.Match[str] | None:
        return pattern.search(self.text)


def failure_of(case: Case) -> Failure | None:
    """None for a program that finished, or that ended in another way than by an error."""
    if raised := case.uncaught:
        text = "\n".join(f"{link.type}: {link.message}" for link in raised.chain)
        return Failure(text, raised.chain[-1], raised)
    if case.signal in CRASHES:
        return Failure("\n".join(case.recording.output.splitlines()[-_LAST_LINES:]))
    return None


def devices_of(case: Case) -> list[DeviceState]:
    """The GPUs, each with the last look at it before the program failed."""
    until = _failed_at_s(case)
    looks: dict[int, list[tuple[float, GpuSampled]]] = {}
    for at_s, sampled in case.recording.supervisor.timed(GpuSampled):
        if at_s <= until:
            looks.setdefault(sampled.index, []).append((at_s, sampled))
    states = []
    for found in case.recording.supervisor.all(GpuFound):
        seen = looks.get(found.index)
        if seen:
            # A look at the moment of the end may find the program's memory already given back.
            held = [look for look in seen if any(process.ours for process in look[1].processes)]
            at_s, last = (held or seen)[-1]
            states.append(DeviceState(found, seen[0][1], last, max(0.0, until - at_s)))
    return states


def used_device(case: Case) -> DeviceState | None:
    """The GPU that the program uses. TensorFlow counts the ones that it may see, NVML counts all: so with several, only
    the memory that the program holds tells which, or that all but one have room."""
    states = devices_of(case)
    if len(states) <= 1:
        return states[0] if states else None
    used = [state for state in states if state.own_bytes]
    full = used or [state for state in states if state.free_share < 0.1]
    if used:
        return max(used, key=lambda state: state.last.used_bytes / max(state.found.total_bytes, 1))
    return full[0] if len(full) == 1 else None


def who(process: DeviceProcess) -> str:
    """`python (pid 77, user ann)`, or the program itself."""
    user = f", user {process.user}" if process.user else ""
    mine = "the program's own " if process.ours else ""
    return f"{mine}{process.name or 'a process'} (pid {process.pid}{user})"


def place_of(case: Case, failure: Failure | None) -> tuple[Location | None, list[Evidence]]:
    """The user's line of a failure, with the exception or the wait status as evidence."""
    if failure is not None and failure.raised is not None and failure.link is not None:
        place = case.locate_exception([failure.link, *failure.raised.chain])
        return place, evidence_of(failure.link, failure.raised)
    place, seen = crash_place(case)
    return place, [wait_status(case), *seen]


def log_lines(case: Case, pattern: re.Pattern[str], most: int = 3) -> list[Evidence]:
    """The last different lines of the output that match, but for printed exceptions, which are told elsewhere."""
    lines = python_output.WHOLE_TRACEBACK.pattern.sub("", case.recording.output).splitlines()
    found = dict.fromkeys(line.strip() for line in lines if pattern.search(line))
    return [
        Evidence(fact="the framework's log", value=line[:400], source="OutputWritten") for line in list(found)[-most:]
    ]


def _failed_at_s(case: Case) -> float:
    at = [at_s for at_s, raised in case.records.timed(ExceptionRaised) if raised.where == "main"]
    return at[-1] if at else case.recording.supervisor.last_at_s
