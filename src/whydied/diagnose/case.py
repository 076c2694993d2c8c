"""A run as the rules see it: how it ended, which process counts, and where that was. Pure.

The *principal* is the process whose end is the program's end: the program's first process where a recorder was inside
of it, else (a shell script, a launcher) the Python process below it that ended worst.
"""

from __future__ import annotations

import functools
import signal as signals

from whydied.diagnose.finding import Evidence, Location
from whydied.read.faults import Fault, FaultFrame
from whydied.read.recording import ProcessView, Recording, Sample
from whydied.records import ExceptionRaised, ExitRequested, Frame, ProgramEnded, RaisedException, SignalReceived

STOP_SIGNALS = (signals.SIGINT, signals.SIGTERM, signals.SIGHUP)
NEAR_END_S = 30.0
"""A signal that reached the supervisor this long before the end is taken as the reason of that end."""


class Case:
    """A whole run; with `child` and how that ended, the part of the run that is about one process below the program."""

    def __init__(
        self, recording: Recording, child: ProcessView | None = None, ended: ProgramEnded | None = None
    ) -> None:
        self.recording = recording
        self.is_child = child is not None
        self.principal = child or _principal(recording)
        self.ended = ended if self.is_child else recording.ended
        self.is_wrapped = (
            not self.is_child and self.principal is not None and self.principal is not recording.process_of_program
        )

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
        asked = self.principal.exit_request
        if asked and asked.how in ("sys.exit", "os._exit", "exit"):
            status = asked.status or "0"
            return int(status) if status.lstrip("-").isdigit() else (0 if status == "None" else 1)
        if self.principal.uncaught:
            return 1
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
        if self.is_wrapped and abrupt and 128 < code < 128 + signals.NSIG:
            return code - 128
        return None

    @property
    def signal_name(self) -> str:
        return signal_name(self.signal)

    @property
    def ended_with_group(self) -> bool:
        """Whether the supervisor is gone too and left no word of the program's end, on a machine that is still up."""
        recording = self.recording
        return (
            self.ended is None
            and recording.program is not None
            and not recording.aftermath.supervisor_alive
            and recording.aftermath.boot_id in ("", recording.started.boot_id if recording.started else "")
        )

    @property
    def stop_signal(self) -> int | None:
        """A request to stop that reached the program shortly before it ended."""
        ended_at = self.recording.supervisor.last_at_s
        near = [
            received.signal
            for at_s, received in self.recording.supervisor.timed(SignalReceived)
            if received.signal in STOP_SIGNALS and ended_at - at_s <= NEAR_END_S
        ]
        return near[-1] if near else None

    @functools.cached_property
    def uncaught(self) -> ExceptionRaised | None:
        """The exception that ended the program, from the recorder or, where none was inside, from the printed text."""
        if self.principal is not None:
            return self.principal.uncaught
        printed = self.recording.printed_exceptions
        return ExceptionRaised(where="main", chain=printed) if printed and self.exit_code else None

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
        return self.recording.samples[-1] if self.recording.samples else None

    # Places.

    def locate(self, frame: Frame | FaultFrame) -> Location:
        """The statement that a frame was in, as the source file has it now."""
        source = self.recording.sources.get(frame.file)
        found = source.statement(frame.line) if source else None
        text = frame.source if isinstance(frame, Frame) else ""
        if found is None:
            return Location(file=frame.file, line=frame.line, function=frame.function, source=text or None)
        return Location(
            file=frame.file,
            line=found.line,
            end_line=found.end_line,
            function=frame.function,
            source=found.source,
        )

    def locate_exception(self, links: list[RaisedException]) -> Location | None:
        """The innermost line of the user's of the first link that has one."""
        for link in links:
            mine = [frame for frame in link.frames if frame.user]
            if mine:
                return self.locate(mine[-1])
        return None

    def last_seen(self) -> tuple[Location | None, list[Evidence]]:
        """Where the main thread was when the sampler last looked, with how old that is."""
        if self.principal is None or not self.principal.user_frames:
            return None, []
        frame = self.principal.user_frames[-1]
        place = self.locate(frame)
        return place, [
            Evidence(
                fact="the main thread's line when last seen",
                value=f"{place.file}:{frame.line} in {frame.function}",
                source=f"LineSampled of process {self.principal.pid}",
            )
        ]

    def fault_location(self) -> tuple[Location | None, list[Evidence]]:
        """The user's line in the crash dump, else where the main thread was last seen."""
        thread = self.fault.current if self.fault else None
        mine = [frame for frame in thread.frames if frame.user] if thread else []
        if thread and mine:
            inner = thread.frames[0]
            seen = Evidence(
                fact="the Python stack at the crash",
                value=f"{inner.file}:{inner.line} in {inner.function}",
                source=f"faulthandler of process {self.fault.pid if self.fault else 0}",
            )
            return self.locate(mine[0]), [seen]
        return self.last_seen()


def prefix(place: Location | None) -> str:
    """`train.py:12: `, the beginning of a message."""
    return f"{place.file.rsplit('/', 1)[-1]}:{place.line}: " if place else ""


def signal_name(number: int | None) -> str:
    try:
        return signals.Signals(number or 0).name
    except ValueError:
        return f"signal {number}"


def root_of(chain: list[RaisedException]) -> int:
    """The index of the link where it began. An explicit cause is followed always; a context only where the program
    raised the later exception on purpose: an accident in a handler is a fault of its own."""
    index = 0
    while index + 1 < len(chain):
        link = chain[index]
        raised_on_purpose = bool(link.frames) and link.frames[-1].source.lstrip().startswith("raise")
        if link.link == "cause" or (link.link == "context" and raised_on_purpose):
            index += 1
        else:
            break
    return index


def _principal(recording: Recording) -> ProcessView | None:
    own = recording.process_of_program
    if own is not None:
        return own
    started = [process for process in recording.processes if process.began and process.began.start != "fork"]
    if not started:
        return None
    crashed = {fault.pid for fault in recording.faults if fault.reason}
    failed = bool(recording.ended and (recording.ended.exit_code or recording.ended.signal))
    if failed:
        for bad in (
            [process for process in started if process.pid in crashed],
            [process for process in started if process.uncaught],
            [process for process in started if not process.exited_orderly and not process.exit_request],
            [
                process
                for process in started
                if process.exit_request and process.exit_request.status not in ("0", "None", None)
            ],
        ):
            if bad:
                return bad[-1]
    return started[0]
