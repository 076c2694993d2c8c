"""The texts that faulthandler leaves when a process crashes, as values. Pure but for `read_faults`."""

from __future__ import annotations

import contextlib
import re
import signal
from pathlib import Path
from typing import NamedTuple

from whydied.places import names_in
from whydied.read.path_owner import is_user_path, real_path
from whydied.texts import python_output

_NOT_INSIDE = ".inside-failed.txt"
_LARGEST_BYTES = 1 << 20
_CUT = "..."
_SIGNALS = {
    "Segmentation fault": signal.SIGSEGV,
    "Aborted": signal.SIGABRT,
    "Bus error": signal.SIGBUS,
    "Illegal instruction": signal.SIGILL,
    "Floating point exception": signal.SIGFPE,
    "Floating-point exception": signal.SIGFPE,
}
_FATAL_WORDS = "Fatal Python error: "


class FaultFrame(NamedTuple):
    file: str
    line: int
    function: str

    @property
    def user(self) -> bool:
        return is_user_path(self.file)


class FaultThread(NamedTuple):
    """A thread's frames, innermost first, as faulthandler lists them."""

    current: bool
    frames: list[FaultFrame]


class Fault(NamedTuple):
    """A dump. `reason` is faulthandler's own word for a fatal signal, "" for a dump that a signal asked for; `cut` says
    that there were more threads than it lists."""

    pid: int
    reason: str
    threads: list[FaultThread]
    cut: bool = False

    @property
    def signal(self) -> int | None:
        """The signal that ended the process; None for a dump that was asked for, or for other words."""
        return next((number for words, number in _SIGNALS.items() if self.reason.startswith(words)), None)

    @property
    def current(self) -> FaultThread | None:
        """The thread that the dump is about; None where that one runs no Python, as the threads of TensorFlow's ops."""
        return next((thread for thread in self.threads if thread.current), None)

    @property
    def main(self) -> FaultThread | None:
        """The thread that began the process: faulthandler lists the newest first, and of very many only the first."""
        return self.threads[-1] if self.threads and not self.cut else None


def read_faults(directory: Path, cwd: str = "") -> tuple[list[Fault], dict[int, str]]:
    """The dumps of a run, and for each process that we could not get inside of, why. Relative paths are from `cwd`."""
    faults: list[Fault] = []
    refused: dict[int, str] = {}
    for name in names_in(directory):
        pid = re.match(r"\d+", name)
        if pid is None:
            continue
        with contextlib.suppress(OSError), open(directory / name, "rb") as file:
            text = file.read(_LARGEST_BYTES).decode("utf-8", "replace")
            if name.endswith(_NOT_INSIDE):
                refused[int(pid[0])] = text.strip()
            else:
                faults.extend(parse(int(pid[0]), text, cwd))
    return faults, refused


def printed_faults(pid: int, output: str, cwd: str = "") -> list[Fault]:
    """The fatal dumps in what a program wrote: of its own faulthandler, and of an interpreter that gave up, which turns
    faulthandler off before it writes one itself."""
    at = output.rfind(_FATAL_WORDS)
    return [fault for fault in parse(pid, output[at:], cwd) if fault.reason and fault.threads] if at >= 0 else []


def parse(pid: int, text: str, cwd: str = "") -> list[Fault]:
    """The dumps in a text, in order. Lines that belong to none are passed over."""
    dumps: list[Fault] = []
    reason, threads, cut = "", list[FaultThread](), False
    for line in text.splitlines():
        if fatal := python_output.FATAL.match(line):
            if threads:
                dumps.append(Fault(pid, reason, threads, cut))
            reason, threads, cut = fatal[1], [], False
        elif thread := python_output.FAULT_THREAD.match(line):
            current = thread["current"] == "Current thread"
            if current and not reason and any(known.current for known in threads):
                dumps.append(Fault(pid, reason, threads, cut))
                threads, cut = [], False
            threads.append(FaultThread(current, []))
        elif python_output.FAULT_STACK.match(line):
            threads.append(FaultThread(True, []))
        elif line == _CUT and threads:
            cut = True
        elif (frame := python_output.FAULT_FRAME.match(line)) and threads:
            number = int(frame["line"]) if frame["line"].isdigit() else 0
            threads[-1].frames.append(FaultFrame(real_path(frame["file"], cwd), number, frame["function"]))
    if threads or reason:
        dumps.append(Fault(pid, reason, threads, cut))
    return dumps
