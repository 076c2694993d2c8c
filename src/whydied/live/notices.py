"""What is worth saying while a program runs, as sentences, each when its record comes. Pure.

Invariant: one thing is said once. A training that is not finite stays so at every step, and is announced at the first.
"""

from __future__ import annotations

import os
import signal
from collections.abc import Callable
from typing import Any, Literal, NamedTuple

from whydied import words
from whydied.records import (
    AssertionFailed,
    ContractBroken,
    CrashSeen,
    ExceptionRaised,
    Frame,
    GpuFailed,
    KernelLogged,
    MemoryWarned,
    ProgramNotStarted,
    ProgressResumed,
    ProgressStopped,
    Record,
    SignalReceived,
    StepCaptured,
)
from whydied.texts import kernel_lines
from whydied.words import bad_step_note, contract_terms

Level = Literal["bad", "warning", "news"]


class Notice(NamedTuple):
    at_s: float
    level: Level
    words: str


class Notices:
    """`said` are all so far, the newest last."""

    def __init__(self) -> None:
        self.said: list[Notice] = []
        self._keys: set[str] = set()

    def hear(self, at_s: float, record: Record) -> Notice | None:
        """A sentence for a record that deserves one and has had none."""
        teller = _TELLERS.get(type(record))
        told = teller(record) if teller is not None else None
        return self.say(at_s, *told) if told is not None else None

    def say(self, at_s: float, key: str, level: Level, sentence: str) -> Notice | None:
        """A sentence, unless one about the same was said before; without a key it may come again."""
        if key in self._keys:
            return None
        if key:
            self._keys.add(key)
        notice = Notice(at_s, level, sentence)
        self.said.append(notice)
        del self.said[:-_MOST]
        return notice


_MOST = 200
_Told = tuple[str, Level, str] | None
"""What it is about, how bad it is, and the sentence, as for `say`."""


def _bad_step(record: StepCaptured) -> _Told:
    note = bad_step_note.note(record)
    return ("not finite", "bad", note.removeprefix("whydied: ").rstrip(".")) if note else None


def _memory_warned(record: MemoryWarned) -> _Told:
    used = f"{words.size(record.rss_bytes)} of {words.size(record.limit_bytes)}"
    stopped = "; the memory guard raised MemoryError" if record.how == "guard" else ""
    return "memory", "bad", f"memory is almost exhausted: {used} used{stopped}"


def _stopped(record: ProgressStopped) -> _Told:
    if not record.hangs:
        return None
    return "", "bad", f"no progress for {words.duration(record.idle_s)}: it may hang"


def _resumed(record: ProgressResumed) -> _Told:
    return "", "news", f"it went on after {words.duration(record.idle_s)} without progress"


def _raised(record: ExceptionRaised) -> _Told:
    if not record.chain or record.where not in ("main", "thread", "cell"):
        return None
    first = record.chain[0]
    message = first.message.split("\n")[0][:160]
    where = f" in thread {record.thread}" if record.where == "thread" else ""
    return "", "bad", f"uncaught {first.type}{where}{_place(first.frames)}" + (f": {message}" if message else "")


def _broken(record: ContractBroken) -> _Told:
    frame = record.frames[-1] if record.frames else None
    sentence = contract_terms.sentence(record, f"{os.path.basename(frame.file)}:{frame.line}" if frame else "")
    level: Level = "bad" if record.raised else "warning"
    return f"contract {record.name} {record.term.words}", level, sentence.rstrip(".")


def _asserted(record: AssertionFailed) -> _Told:
    return f"assertion {record.name}", "bad", f"assertion failed: {record.message}".rstrip(".")


def _crashed(record: CrashSeen) -> _Told:
    return "", "bad", f"process {record.pid} crashed ({_signal(record.signal)})"


def _gpu(record: GpuFailed) -> _Told:
    return f"gpu {record.index}", "bad", f"GPU {record.index} can no longer be asked: {record.error}"


def _kernel(record: KernelLogged) -> _Told:
    killed = kernel_lines.KILLED.search(record.line)
    return (f"killed {killed[1]}", "bad", f"the kernel's OOM killer killed process {killed[1]}") if killed else None


def _signalled(record: SignalReceived) -> _Told:
    sender = f" from {record.sender_name}" if record.sender_name else ""
    return "", "warning", f"{_signal(record.signal)} received{sender}"


def _not_started(record: ProgramNotStarted) -> _Told:
    return "", "bad", f"it did not start: {record.reason}"


def _signal(number: int) -> str:
    try:
        return signal.Signals(number).name
    except ValueError:
        return f"signal {number}"


def _place(frames: list[Frame]) -> str:
    user = next((frame for frame in reversed(frames) if frame.user), None)
    return f" at {os.path.basename(user.file)}:{user.line}" if user is not None else ""


_TELLERS: dict[type[Record], Callable[[Any], _Told]] = {
    AssertionFailed: _asserted,
    ContractBroken: _broken,
    CrashSeen: _crashed,
    ExceptionRaised: _raised,
    GpuFailed: _gpu,
    KernelLogged: _kernel,
    MemoryWarned: _memory_warned,
    ProgramNotStarted: _not_started,
    ProgressResumed: _resumed,
    ProgressStopped: _stopped,
    SignalReceived: _signalled,
    StepCaptured: _bad_step,
}
