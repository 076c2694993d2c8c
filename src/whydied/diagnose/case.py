"""A run as the rules see it: how it ended, which process counts, and where that was. Pure.

The *principal* is the process whose end is the program's end: the program's first process where a recorder was inside
of it, else (a shell script, a launcher) the Python process below it that ended worst.
"""

from __future__ import annotations

import copy
import functools
import signal as signals
from typing import Protocol

from whydied import words
from whydied.diagnose.finding import Evidence, Location
from whydied.read.faults import Fault
from whydied.read.recording import ProcessView, Recording, Sample
from whydied.records import (
    CellEnded,
    CellStarted,
    ExceptionRaised,
    ExitRequested,
    Frame,
    LockUse,
    ProgramEnded,
    RaisedException,
    SignalReceived,
)
from whydied.source.text import Source

STOP_SIGNALS = (signals.SIGINT, signals.SIGTERM, signals.SIGHUP)
SHUT_DOWN_S = 10.0
"""Jupyter interrupts the running cell, asks the kernel to end, and gives it so long."""
NEAR_END_S = 30.0
"""A signal that reached the supervisor this long before the end is taken as the reason of that end."""


_KERNEL_WORDS = {signals.SIGSEGV: "segfault", signals.SIGILL: "invalid opcode", signals.SIGFPE: "divide error"}


class Placed(Protocol):
    """A frame, or whatever else has a line of a function."""

    @property
    def file(self) -> str: ...

    @property
    def line(self) -> int: ...

    @property
    def function(self) -> str: ...


class Case:
    """A whole run; with `child` and how that ended, the part of the run that is about one process below the program."""

    def __init__(
        self, recording: Recording, child: ProcessView | None = None, ended: ProgramEnded | None = None
    ) -> None:
        self.recording = recording
        self.is_child = child is not None
        self.principal = child or _principal(recording)
        self.ended = ended if self.is_child else recording.ended or _ended_by_fault(recording)
        self.is_wrapped = (
            not self.is_child and self.principal is not None and self.principal is not recording.process_of_program
        )

    @functools.cached_property
    def records(self) -> ProcessView:
        """What the principal recorded: nothing where no recorder was inside."""
        return self.principal or ProcessView(None)

    @property
    def pid(self) -> int | None:
        """The principal's number, where no recorder was inside that of the program's first process."""
        if self.principal is not None:
            return self.principal.pid
        return self.recording.program.pid if self.recording.program else None

    @property
    def sources(self) -> dict[str, Source]:
        """The user's files that records point at, by path."""
        return self.recording.sources

    @property
    def project(self) -> dict[str, Source]:
        """All files of the user's that the program loaded, by path. What only runs cells is not one."""
        found = {**self.recording.project, **self.recording.sources}
        return {file: source for file, source in found.items() if file not in self._hosts} if self._hosts else found

    @functools.cached_property
    def _hosts(self) -> frozenset[str]:
        ran = [one for one in self.recording.processes if one.first(CellStarted) is not None]
        return frozenset(one.main_file for one in ran if one.main_file is not None)

    @property
    def program(self) -> str:
        """The program in a word: its script, module or command."""
        if self.is_child and self.principal:
            return f"the child process {self.principal.pid}"
        started = self.recording.started
        argv = started.argv if started else []
        if argv[:1] == ["-m"] and len(argv) > 1:
            return argv[1]
        return argv[0].rsplit("/", 1)[-1] if argv else "the program"

    @property
    def exit_code(self) -> int | None:
        ended = self.ended
        if ended is None or (ended.exit_code is None and ended.signal is None):
            return self._exit_code_from_records()
        return ended.exit_code

    def _exit_code_from_records(self) -> int | None:
        if self.principal is None:
            return None
        if self.principal.uncaught:
            return 1
        asked = self.principal.exit_request
        if asked is not None and asked.how in EXITS:
            return status_of(asked)
        return 0 if self.principal.exited_orderly else None

    @functools.cached_property
    def signal(self) -> int | None:
        """The signal that ended the program, also where a shell passed it on as 128 + N."""
        ended = self.ended
        if ended is None:
            return None
        if ended.signal is not None:
            return ended.signal
        code = ended.exit_code or 0
        abrupt = self.principal is not None and not self.principal.exited_orderly and not self.principal.uncaught
        if not 128 < code < 128 + signals.NSIG:
            return None
        if (self.is_wrapped and abrupt) or (self.principal is None and self._kernel_confirms(code - 128)):
            return code - 128
        return None

    def _kernel_confirms(self, number: int) -> bool:
        """Whether the kernel's counters or log speak of a process of the run that ended by this signal."""
        if number == signals.SIGKILL:
            return self.recording.own_oom_kills()
        return any(_KERNEL_WORDS.get(signals.Signals(number), "\0") in line for line in self.recording.kernel_lines)

    @property
    def exit_call(self) -> ExitRequested | None:
        """The call that ended the program, where its status is the one that came out."""
        asked = self.exit_request
        if asked is None or asked.how not in EXITS:
            return None
        return asked if status_of(asked) in (self.exit_code, None) else None

    @property
    def left_cell(self) -> bool:
        """Whether a notebook's kernel ended by itself in the middle of a cell, as if all were well."""
        own = None if self.is_child else self.principal
        is_over = self.ended is not None and self.exit_code == 0
        return is_over and own is not None and own.running_cell is not None and not own.exited_orderly

    @property
    def signal_name(self) -> str:
        return signal_name(self.signal)

    @property
    def is_running(self) -> bool:
        """Whether the program lives, as far as anybody can tell, while the report is made."""
        aftermath = self.recording.aftermath
        return not self.is_child and self.ended is None and (aftermath.program_alive or aftermath.supervisor_alive)

    @property
    def ended_with_group(self) -> bool:
        """Whether the supervisor is gone too and left no word of the program's end, on a machine that is still up."""
        recording = self.recording
        return (
            self.ended is None
            and recording.program is not None
            and not (self.principal and (self.principal.exited_orderly or self.principal.uncaught))
            and not recording.aftermath.program_alive
            and not recording.aftermath.supervisor_alive
            and recording.aftermath.boot_id in ("", recording.started.boot_id if recording.started else "")
        )

    @property
    def stop_signal(self) -> int | None:
        """A request to stop that reached the program shortly before it ended."""
        ends = [at_s for at_s, _ in self.recording.supervisor.timed(ProgramEnded)]
        ended_at = ends[-1] if ends else self.recording.supervisor.last_at_s
        near = [
            received.signal
            for at_s, received in self.recording.supervisor.timed(SignalReceived)
            if received.signal in self._stops and 0 <= ended_at - at_s <= NEAR_END_S
        ]
        return near[-1] if near else None

    @functools.cached_property
    def was_stopped(self) -> bool:
        """Whether somebody else ended the program: a person, a scheduler, a time limit. What was wrong before is then
        the cause, and the stop only the end."""
        asked = self.exit_request
        if asked is not None and asked.signal is not None:
            return False
        if self.shut_down_in is not None or any(sent.why == "time limit" for sent in self.recording.signals_sent):
            return True
        raised = self.uncaught
        if raised is not None:
            return raised.chain[0].type == "KeyboardInterrupt" and self.exit_code != 0
        return self.signal in STOP_SIGNALS or bool(self.stop_signal and self.exit_code)

    @functools.cached_property
    def shut_down_in(self) -> CellEnded | None:
        """The cell that an interrupt ended just before its kernel was shut down in order: somebody gave it up."""
        own = None if self.is_child else self.principal
        if not self._is_kernel or own is None or self.exit_code != 0:
            return None
        cells = [(at_s, cell) for at_s, cell in own.timed(CellEnded)]
        ends = [at_s for at_s, _ in self.recording.supervisor.timed(ProgramEnded)]
        if not cells or not ends or own.running_cell is not None or ends[-1] - cells[-1][0] > SHUT_DOWN_S:
            return None
        return cells[-1][1] if cells[-1][1].raised == "KeyboardInterrupt" else None

    @property
    def _is_kernel(self) -> bool:
        started = self.recording.started
        return started is not None and started.supervisor == "kernel"

    @property
    def _stops(self) -> tuple[int, ...]:
        """To a notebook's kernel an interrupt means the end of a cell, not its own."""
        return tuple(number for number in STOP_SIGNALS if not (self._is_kernel and number == signals.SIGINT))

    @functools.cached_property
    def uncaught(self) -> ExceptionRaised | None:
        """The exception that ended the program, from the recorder or, where none was inside, from the printed text."""
        if self.principal is not None:
            last_cell = self.principal.failed_cell if self.exit_code == 1 else None
            return self.principal.uncaught or last_cell
        if self.recording.processes and self.exit_code != 1:
            # The wrapper chose a status of its own: what it did after a later success is not about this exception.
            return max(self.recording.processes, key=lambda process: process.last_at_s).uncaught
        printed = self.recording.printed_exceptions
        return ExceptionRaised(where="main", chain=printed) if printed and self.exit_code else None

    def with_exception(self, raised: ExceptionRaised) -> Case:
        """The same run, as if this exception had ended it."""
        other = copy.copy(self)
        other.__dict__["uncaught"] = raised
        return other

    @property
    def exit_request(self) -> ExitRequested | None:
        return self.principal.exit_request if self.principal else None

    @functools.cached_property
    def fault(self) -> Fault | None:
        """The dump that the dying process left, in its file or (the program's own faulthandler) in the output."""
        pid = self.principal.pid if self.principal else None
        mine = [fault for fault in self.recording.faults if fault.pid == pid]
        return mine[-1] if mine else None

    @property
    def last_sample(self) -> Sample | None:
        samples = self.recording.samples
        if self.is_wrapped and self.principal is not None:
            # A wrapper lives a little longer than the process that it wraps.
            pid = self.principal.pid
            for one in reversed(samples):
                if any(each.pid == pid and each.rss_bytes for each in one.machine.processes):
                    return one
        return samples[-1] if samples else None

    @property
    def limit_words(self) -> str:
        """` (limit 2.00 GiB)`; "" where no limit is known."""
        limit = self.recording.limit
        return f" (limit {words.size(limit.limit_bytes)})" if limit else ""

    # Places.

    def locate(self, frame: Placed) -> Location:
        """The statement that a frame was in, as the source file has it now."""
        source = self.recording.sources.get(frame.file) or self.recording.project.get(frame.file)
        found = source.statement(frame.line) if source else None
        text = frame.source if isinstance(frame, Frame) else ""
        if found is None:
            return Location(file=frame.file, line=frame.line, function=frame.function, source=text or None)
        return Location(
            file=frame.file,
            line=frame.line,
            end_line=found.end_line,
            function=frame.function,
            source=found.source,
        )

    def locate_user(self, frames: list[Frame]) -> Location | None:
        """The innermost line of the user's among some frames, the innermost of which comes last."""
        inner = next((frame for frame in reversed(frames) if frame.user), None)
        return self.locate(inner) if inner is not None else None

    def locate_exception(self, links: list[RaisedException]) -> Location | None:
        """The innermost line of the user's of the first link that has one."""
        return next((place for link in links if (place := self.locate_user(link.frames))), None)

    def last_seen(self) -> tuple[Location | None, list[Evidence]]:
        """Where the main thread was when the sampler last looked, with how old that is."""
        if self.principal is None or not self.principal.user_frames:
            return None, []
        frame = self.principal.user_frames[-1]
        place = self.locate(frame)
        return place, [
            Evidence(
                fact="main thread last seen at",
                value=f"{place.whole if place.cell is not None else f'{place.file}:{frame.line}'} in {frame.function}",
                source=f"LineSampled of process {self.principal.pid}",
            )
        ]

    def fault_location(self) -> tuple[Location | None, list[Evidence]]:
        """The user's line in the crash dump: of the thread that crashed, else (a thread of native code alone) of the
        main thread at that moment. Where there is none, where the main thread was last seen."""
        fault = self.fault
        source = f"faulthandler of process {fault.pid}" if fault else ""
        thread = fault.current if fault else None
        mine = [frame for frame in thread.frames if frame.user] if thread else []
        if thread and mine:
            inner = thread.frames[0]
            seen = Evidence(
                fact="the Python stack at the crash",
                value=f"{inner.file}:{inner.line} in {inner.function}",
                source=source,
            )
            return self.locate(mine[0]), [seen]
        main = fault.main if fault else None
        mine = [frame for frame in main.frames if frame.user] if main else []
        if mine:
            seen = Evidence(
                fact="the crashed thread ran no Python code of the program; the main thread was at",
                value=f"{mine[0].file}:{mine[0].line} in {mine[0].function}",
                source=source,
            )
            return self.locate(mine[0]), [seen]
        return self.last_seen()


def line_words(place: Location | Frame | LockUse) -> str:
    """`line 12 of train.py`, `line 2 of cell [3]`: for another line than the one that a message begins with. The
    console leaves out the file where a report speaks of no other."""
    return f"line {place.line} of {place.file.rsplit('/', 1)[-1]}"


def prefix(place: Location | None) -> str:
    """`train.py:12: `, the beginning of a message."""
    return f"{place.spelled}: " if place else ""


def signal_name(number: int | None) -> str:
    try:
        return signals.Signals(number or 0).name
    except ValueError:
        return f"signal {number}"


def root_of(chain: list[RaisedException]) -> int:
    """The index of the link where it began. An explicit cause is followed always; a context only where the program
    raised the later exception on purpose: an accident in a handler is a fault of its own. What a library made of an
    exception inside of itself says more to its user than that one."""
    index = 0
    while index + 1 < len(chain):
        link = chain[index]
        raised_on_purpose = bool(link.frames) and link.frames[-1].source.lstrip().startswith("raise")
        if _is_of_library(link) and _is_of_library(chain[index + 1]):
            break
        if link.link == "cause" or (link.link == "context" and raised_on_purpose):
            index += 1
        else:
            break
    return index


def _is_of_library(link: RaisedException) -> bool:
    return bool(link.frames) and not any(frame.user for frame in link.frames)


EXITS = ("sys.exit", "os._exit", "exit")


def status_of(asked: ExitRequested) -> int | None:
    """The exit status that a call asked for; None where the recorder could not see it."""
    if asked.how not in EXITS or (asked.how == "exit" and asked.status is None):
        return None
    text = asked.status if asked.status is not None else "None"
    if text.lstrip("-").isdigit():
        return int(text) & 0xFF
    return 0 if text == "None" else 1


def _ended_by_fault(recording: Recording) -> ProgramEnded | None:
    """How the program ended where its supervisor was gone by then, and the program left the dump of a crash."""
    pid = recording.program.pid if recording.program else None
    if recording.aftermath.program_alive or recording.aftermath.supervisor_alive:
        return None
    numbers = [fault.signal for fault in recording.faults if fault.pid == pid and fault.signal is not None]
    return ProgramEnded(pid=pid or 0, signal=numbers[-1], from_="faulthandler") if numbers else None


def _principal(recording: Recording) -> ProcessView | None:
    own = recording.process_of_program
    if own is not None:
        return own
    started = [process for process in recording.processes if process.began and process.began.start != "fork"]
    pids = {process.pid for process in recording.processes}
    # A process that another recorded one started is that one's business.
    outer = [process for process in started if process.began and process.began.ppid not in pids] or started
    outer.sort(key=lambda process: process.last_at_s)
    ended = recording.ended
    if ended is None or (ended.exit_code == 0 and ended.signal is None):
        return outer[0] if outer else None
    crashed = {fault.pid for fault in recording.faults if fault.reason}
    fitting = [process for process in outer if _explains(process, ended, process.pid in crashed)]
    return fitting[-1] if fitting else None


def _explains(process: ProcessView, ended: ProgramEnded, crashed: bool) -> bool:
    """Whether a process below a wrapper ended in the way that the wrapper passed on."""
    code = ended.exit_code or 0
    by_signal = ended.signal is not None or code > 128
    asked = process.exit_request
    if crashed:
        return by_signal
    if process.uncaught is not None:
        return code == 1
    if asked is not None and asked.how in EXITS:
        return status_of(asked) in (code, None)
    if process.exited_orderly:
        return False
    return by_signal
