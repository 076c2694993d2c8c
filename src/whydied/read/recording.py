"""A run as values: its streams, faults and views over them. Loading reads files; the value itself does nothing.

All times are seconds on the machine's monotonic clock, as in the records.
"""

from __future__ import annotations

import functools
from collections.abc import Iterator
from typing import TypeVar

import msgspec

from whydied import places, redact
from whydied.places import RunDirectory
from whydied.read.cells import Cells
from whydied.read.faults import Fault, printed_faults, read_faults
from whydied.read.kept_sources import texts_of
from whydied.read.path_owner import is_user_path
from whydied.read.reader import StreamRead, read_streams
from whydied.read.steps import Graphs, Taken, read_graphs, read_taken
from whydied.read.tracebacks import expanded, last_traceback
from whydied.records import (
    CallBegan,
    CallEnded,
    CellEnded,
    CellStarted,
    CrashSeen,
    ExceptionRaised,
    ExitRequested,
    Frame,
    GraphRecorded,
    ImportantSample,
    InternalError,
    KernelLogged,
    LimitApplied,
    LineSampled,
    MachineSampled,
    MainFound,
    OomCounted,
    OutputWritten,
    PicturesLooked,
    ProcessBegan,
    ProcessExiting,
    ProcessSample,
    ProgramEnded,
    ProgramNotStarted,
    ProgramStarted,
    RaisedException,
    Record,
    RecorderLimited,
    RunEnded,
    RunStarted,
    SignalReceived,
    SignalSent,
    SourceKept,
    StepBegan,
    StepCaptured,
    VersionsSeen,
    WarningIssued,
)
from whydied.records.values import frames_in
from whydied.source.text import Source
from whydied.texts import kernel_lines
from whydied.wire import Entry

R = TypeVar("R", bound=Record)


class Sample(msgspec.Struct, frozen=True):
    """The whole tree at one moment. Pages of files, which its processes share, are in `rss_bytes` once."""

    at_s: float
    rss_bytes: int
    machine: MachineSampled


class Aftermath(msgspec.Struct, frozen=True, kw_only=True):
    """What was found when the report was made, for a run whose supervisor could not finish it; `pictures`, and `cells`,
    the code cells of the notebook's file, for any."""

    boot_id: str = ""
    supervisor_alive: bool = False
    program_alive: bool = False
    same_machine: bool = True
    oom_kills: list[OomCounted] = []
    kernel_lines: list[str] = []
    crashes: list[CrashSeen] = []
    pictures: PicturesLooked | None = None
    cells: list[str] = []


class StreamView:
    """The records of one stream, found by kind."""

    def __init__(self, stream: StreamRead | None) -> None:
        self.stream = stream
        self.entries: list[Entry] = stream.entries if stream else []
        self._sorted: dict[type, list[Entry]] = {}
        self._sorted_of = (0, 0)

    def all(self, kind: type[R]) -> list[R]:
        return [entry.record for entry in self._of(kind)]  # type: ignore[misc]

    def timed(self, kind: type[R]) -> Iterator[tuple[float, R]]:
        for entry in self._of(kind):
            yield entry.at_ns / 1e9, entry.record  # type: ignore[misc]

    def first(self, kind: type[R]) -> R | None:
        found = self._of(kind)
        return found[0].record if found else None  # type: ignore[return-value]

    def last(self, kind: type[R]) -> R | None:
        found = self._of(kind)
        return found[-1].record if found else None  # type: ignore[return-value]

    def _of(self, kind: type[R]) -> list[Entry]:
        """The entries of a kind. They are sorted once: rules ask a hundred times, and an hour has hundred thousands."""
        state = (id(self.entries), len(self.entries))
        if self._sorted_of != state:
            self._sorted, self._sorted_of = {}, state
            for entry in self.entries:
                self._sorted.setdefault(type(entry.record), []).append(entry)
        return self._sorted.get(kind, [])

    @property
    def last_at_s(self) -> float:
        return max((entry.at_ns for entry in self.entries), default=0) / 1e9


class ProcessView(StreamView):
    """One process, as its own recorder saw it; without a stream, one that no recorder was inside of."""

    def __init__(self, stream: StreamRead | None) -> None:
        super().__init__(stream)
        self.began = self.first(ProcessBegan)
        self.pid = self.began.pid if self.began else stream.pid if stream else 0

    @property
    def exited_orderly(self) -> bool:
        return self.first(ProcessExiting) is not None

    @property
    def main_file(self) -> str | None:
        found = self.last(MainFound)
        return found.file if found else None

    @property
    def uncaught(self) -> ExceptionRaised | None:
        """The exception that ended the main thread, or a notebook that stops at the first cell that fails."""
        found = self._final([raised for raised in self.all(ExceptionRaised) if raised.where == "main"], CellStarted)
        return expanded(found, self.began.cwd if self.began else "")

    @property
    def exit_request(self) -> ExitRequested | None:
        return self._final(self.all(ExitRequested), CellEnded)

    def _final(self, found: list[R], survived: type[Record]) -> R | None:
        """The last of some records, unless a cell of a notebook shows that the process lived on after it."""
        last = found[-1] if found else None
        for entry in reversed(self.entries):
            if entry.record is last:
                return last
            if isinstance(entry.record, survived):
                return None
        return None

    @property
    def failed_cell(self) -> ExceptionRaised | None:
        """The exception that left the last cell: IPython without a kernel may end because of it."""
        return self._final([raised for raised in self.all(ExceptionRaised) if raised.where == "cell"], CellStarted)

    @property
    def running_cell(self) -> CellStarted | None:
        """The cell of a notebook that had begun and not ended."""
        return self._final(self.all(CellStarted), CellEnded)

    @property
    def user_frames(self) -> list[Frame]:
        """The user's frames of the main thread when it was last seen, innermost last."""
        sampled = next((line for line in reversed(self.all(LineSampled)) if line.thread == "main"), None)
        if sampled is not None and not sampled.frames and (cell := self.running_cell) is not None:
            # A cell that waits (`await`) has left the stack, and is still where it was.
            return self._frames_since(cell)
        return [frame for frame in sampled.frames if frame.user] if sampled else []

    def _frames_since(self, cell: CellStarted) -> list[Frame]:
        for entry in reversed(self.entries):
            if entry.record is cell:
                return []
            if isinstance(entry.record, LineSampled) and entry.record.frames:
                return [frame for frame in entry.record.frames if frame.user]
        return []

    @property
    def open_calls(self) -> list[CallBegan]:
        """Keras calls that had begun and not ended, outermost first."""
        ended = {call.call for call in self.all(CallEnded)}
        return [call for call in self.all(CallBegan) if call.call not in ended]

    @property
    def last_step(self) -> StepBegan | None:
        return self.last(StepBegan)


class Recording:
    """A run: what the supervisor, the terminal and each process recorded."""

    def __init__(
        self,
        directory: RunDirectory,
        streams: list[StreamRead],
        faults: list[Fault] | None = None,
        not_inside: dict[int, str] | None = None,
        aftermath: Aftermath | None = None,
        sources: dict[str, Source] | None = None,
        graphs: Graphs | None = None,
        taken: dict[str, Taken] | None = None,
        edited: frozenset[str] = frozenset(),
        project: dict[str, Source] | None = None,
    ) -> None:
        by_name = {stream.name: stream for stream in streams}
        self.directory = directory
        self.streams = streams
        self.supervisor = StreamView(by_name.get(places.SUPERVISOR_STREAM))
        self.terminal = StreamView(by_name.get(places.TERMINAL_STREAM))
        self.processes = sorted(
            (ProcessView(stream) for stream in streams if stream.name.startswith("process-")),
            key=lambda process: process.entries[0].at_ns if process.entries else 0,
        )
        self.faults = faults or []
        self.not_inside = not_inside or {}
        self.aftermath = aftermath or Aftermath()
        self.sources = sources or {}
        self.graphs = graphs or Graphs()
        self.taken = taken or {}
        self.edited = edited
        """Files that were changed while the program ran, or since, and may not be what ran."""
        self.project = project or {}
        """All files of the program's own that it loaded, also those that no record points at."""

    @property
    def started(self) -> RunStarted | None:
        return self.supervisor.first(RunStarted)

    @property
    def program(self) -> ProgramStarted | None:
        return self.supervisor.first(ProgramStarted)

    @property
    def not_started(self) -> ProgramNotStarted | None:
        return self.supervisor.first(ProgramNotStarted)

    @property
    def ended(self) -> ProgramEnded | None:
        return self.supervisor.last(ProgramEnded)

    @property
    def complete(self) -> bool:
        """Whether the supervisor lived to write all it had to write."""
        return self.supervisor.first(RunEnded) is not None

    @property
    def limit(self) -> LimitApplied | None:
        return self.supervisor.last(LimitApplied)

    @property
    def signals_received(self) -> list[SignalReceived]:
        return self.supervisor.all(SignalReceived)

    @property
    def signals_sent(self) -> list[SignalSent]:
        return self.supervisor.all(SignalSent)

    @property
    def kernel_lines(self) -> list[str]:
        return [logged.line for logged in self.supervisor.all(KernelLogged)] + list(self.aftermath.kernel_lines)

    @functools.cached_property
    def samples(self) -> list[Sample]:
        found: dict[float, Sample] = {}
        for entry in self.supervisor.entries:
            record = entry.record
            machine = record.sample if isinstance(record, ImportantSample) else record
            if isinstance(machine, MachineSampled):
                at_s = entry.at_ns / 1e9
                found[at_s] = Sample(at_s, resident_bytes(machine.processes), machine)
        return [found[at_s] for at_s in sorted(found)]

    @functools.cached_property
    def output(self) -> str:
        """What passed through us, stderr and (where both went to one place) stdout: the beginning and the last part."""
        data = b"".join(written.data for written in self.terminal.all(OutputWritten))
        # A secret may have come in two pieces.
        return redact.output(data).decode("utf-8", "replace")

    @functools.cached_property
    def printed_exceptions(self) -> list[RaisedException]:
        """The last traceback in the output, as a chain: all there is where no recorder was inside."""
        return last_traceback(self.output, self.started.cwd if self.started else "")

    @functools.cached_property
    def versions(self) -> dict[str, str]:
        merged: dict[str, str] = {}
        for process in self.processes:
            if process.began and process.began.python:
                merged.setdefault("python", process.began.python)
            for seen in process.all(VersionsSeen):
                merged.update(seen.versions)
        return merged

    @property
    def internal_errors(self) -> list[str]:
        views = [self.supervisor, self.terminal, *self.processes]
        return [f"{error.where}: {error.error}" for view in views for error in view.all(InternalError)]

    @property
    def limitations(self) -> list[RecorderLimited]:
        return [limited for view in [self.supervisor, *self.processes] for limited in view.all(RecorderLimited)]

    @functools.cached_property
    def process_of_program(self) -> ProcessView | None:
        """The last interpreter that ran in the program's first process (exec replaces one by another)."""
        pid = self.program.pid if self.program else None
        same = [process for process in self.processes if process.pid == pid]
        return same[-1] if same else None

    @property
    def peak_rss_bytes(self) -> int | None:
        """The most that the whole tree was seen to hold, or that the kernel tells of its first process."""
        peaks = [sample.rss_bytes for sample in self.samples]
        if self.ended and self.ended.peak_rss_bytes:
            peaks.append(self.ended.peak_rss_bytes)
        return max(peaks, default=None)

    @property
    def pids(self) -> set[int]:
        """The program's first process, and those with a recorder inside."""
        return {process.pid for process in self.processes} | ({self.program.pid} if self.program else set())

    def oom_kills(self) -> list[tuple[OomCounted, int]]:
        """Counters of the kernel's OOM killer that moved during the run, with by how much. Whose process it was, a
        counter of the machine or of a shared group does not say: see `own_oom_kills`."""
        before: dict[tuple[str, str | None], int] = {}
        moved: dict[tuple[str, str | None], tuple[OomCounted, int]] = {}
        for counted in [*self.supervisor.all(OomCounted), *self.aftermath.oom_kills]:
            key = (counted.scope, counted.path)
            if counted.moment == "start":
                before[key] = counted.kills
            elif counted.kills > before.get(key, counted.kills):
                moved[key] = (counted, counted.kills - before[key])
        return list(moved.values())

    def own_oom_kills(self) -> bool:
        """Whether the kernel's OOM killer took a process of this run: the counter of the group that we made moved, or
        the log names one of ours."""
        group = self.limit.path if self.limit and self.limit.ours else None
        counted = group is not None and any(counter.path == group for counter, _ in self.oom_kills())
        return counted or bool(self.killed_pids)

    @functools.cached_property
    def killed_pids(self) -> set[int]:
        """Processes of this run that the kernel's log says it killed."""
        ours = self.pids | {process.pid for sample in self.samples[-50:] for process in sample.machine.processes}
        named = {int(found[1]) for line in self.kernel_lines if (found := kernel_lines.KILLED.search(line))}
        return named & ours


def resident_bytes(processes: list[ProcessSample]) -> int:
    """What some processes hold together. Libraries are in memory once however many map them: of the pages of files only
    those of the process with the most count."""
    files = [min(process.file_bytes or 0, process.rss_bytes) for process in processes]
    return sum(process.rss_bytes for process in processes) - sum(files) + max(files, default=0)


def load(directory: RunDirectory, aftermath: Aftermath | None = None) -> Recording:
    """Read a run whole, with the source files that its records point at. What was found on the machine after the death
    of its supervisor is that which is given, or was stored."""
    aftermath = aftermath or _stored_aftermath(directory)
    cells = Cells(read_streams(directory.streams))
    streams = cells.streams
    started = Recording(directory, streams).started
    faults, not_inside = read_faults(directory.faults, started.cwd if started else "")
    faults = cells.faults(faults)
    bare = Recording(directory, streams, faults, not_inside, aftermath)
    faults = bare.faults = [*faults, *_printed_faults(bare)]
    names = [recorded.file for process in bare.processes for recorded in process.all(GraphRecorded)]
    graphs = read_graphs(directory.path / "graphs", names)
    captured = [step.directory for process in bare.processes for step in process.all(StepCaptured)]
    taken = cells.values(read_taken(directory.path, captured))
    bare.taken = taken
    # What the program's own process loaded counts before what others did.
    ordered = sorted(bare.processes, key=lambda process: process is bare.process_of_program)
    kept = [record for process in ordered for record in process.all(SourceKept)]
    files = _user_files(bare)
    texts = texts_of(directory.sources, files, kept, started)
    others = texts_of(directory.sources, {record.file for record in kept} - files, kept, started)
    sources = {**texts.sources, **cells.sources}
    project = {**others.sources, **sources}
    return Recording(directory, streams, faults, not_inside, aftermath, sources, graphs, taken, texts.edited, project)


def _stored_aftermath(directory: RunDirectory) -> Aftermath | None:
    try:
        return msgspec.json.decode(directory.aftermath.read_bytes(), type=Aftermath)
    except (OSError, msgspec.MsgspecError, UnicodeDecodeError):
        return None


def _printed_faults(recording: Recording) -> list[Fault]:
    """Of a program that a signal ended and that left no dump in its file, the one that it printed."""
    ended, started = recording.ended, recording.started
    if ended is None or ended.signal is None or any(one.pid == ended.pid and one.reason for one in recording.faults):
        return []
    return printed_faults(ended.pid, recording.output, started.cwd if started else "")


def _user_files(recording: Recording) -> set[str]:
    """The user's files that something of the run points at."""
    files = {process.main_file for process in recording.processes if process.main_file}
    warned = (record.file for process in recording.processes for record in process.all(WarningIssued))
    files |= {file for file in warned if is_user_path(file)}
    views = (*recording.processes, recording.supervisor)
    parts: list[object] = [entry.record for view in views for entry in view.entries]
    parts += [process.uncaught for process in recording.processes]
    parts += [taken.replay for taken in recording.taken.values()]
    parts += recording.printed_exceptions
    files |= {frame.file for part in parts for frame in frames_in(part) if frame.user}
    dumped = (frame for fault in recording.faults for thread in fault.threads for frame in thread.frames)
    return files | {frame.file for frame in dumped if frame.user}
