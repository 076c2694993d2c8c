"""Hand-built recordings for the tests of rules: a run in a line or two, no files."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from whydied.diagnose.case import Case
from whydied.places import SUPERVISOR_STREAM, TERMINAL_STREAM, RunDirectory
from whydied.read.faults import Fault
from whydied.read.reader import StreamRead
from whydied.read.recording import Aftermath, Recording
from whydied.records import (
    ExceptionRaised,
    Frame,
    LineSampled,
    MachineSampled,
    OomCounted,
    OutputWritten,
    ProcessBegan,
    ProcessSample,
    ProgramEnded,
    ProgramStarted,
    RaisedException,
    Record,
    RunStarted,
)
from whydied.source.text import Source
from whydied.wire import Entry

PID = 4242
GIB = 1 << 30
FILE = "/home/ann/train.py"
SOURCE = (
    "import tensorflow as tf\n\ntensors = []\nwhile True:\n    tensors.append(\n        tf.ones((1000, 1000))\n    )\n"
)


def stream(name: str, pid: int, records: Sequence[Record], start_s: float = 1.0) -> StreamRead:
    entries = [Entry(int((start_s + 0.1 * n) * 1e9), n, record) for n, record in enumerate(records)]
    return StreamRead(name, pid, entries, [], 0, 0)


def sample(rss_bytes: int, pid: int = PID, available_bytes: int = 20 * GIB) -> MachineSampled:
    process = ProcessSample(pid=pid, ppid=1, name="python", state="R", rss_bytes=rss_bytes)
    return MachineSampled(processes=[process], available_bytes=available_bytes)


def line(number: int = 6, function: str = "<module>") -> LineSampled:
    return LineSampled(frames=[Frame(file=FILE, line=number, function=function, user=True)])


def counted(start: int, end: int, scope: str = "cgroup", path: str | None = "/sys/fs/cgroup/x") -> list[Record]:
    return [
        OomCounted(moment="start", scope=scope, kills=start, path=path),
        OomCounted(moment="end", scope=scope, kills=end, path=path),
    ]


def raised(kind: str, message: str = "", where: str = "main", number: int = 5, **fields: object) -> ExceptionRaised:
    frame = Frame(file=FILE, line=number, function="<module>", user=True, source="tensors.append(")
    link = RaisedException(type=kind, module="builtins", message=message, frames=[frame], **fields)  # type: ignore[arg-type]
    return ExceptionRaised(where=where, chain=[link])


def recording_of(
    *supervisor: Record,
    process: Sequence[Record] | None = (),
    others: dict[int, Sequence[Record]] | None = None,
    ended: ProgramEnded | None = None,
    exit_code: int | None = None,
    signal: int | None = None,
    output: str = "",
    faults: list[Fault] | None = None,
    aftermath: Aftermath | None = None,
    timeout_s: float | None = None,
    unfinished: bool = False,
) -> Recording:
    """A run of train.py; `process=None` means that no recorder was inside."""
    begun: list[Record] = [
        RunStarted(
            run_id="r",
            argv=["train.py"],
            cwd="/home/ann",
            wall_time_s=1.7e9,
            boot_id="boot-1",
            supervisor_pid=1,
            whydied_version="0",
            memory_total_bytes=24 * GIB,
            timeout_s=timeout_s,
        ),
        ProgramStarted(pid=PID, argv=["python", "train.py"]),
    ]
    end: list[Record] = []
    if not unfinished:
        end = [ended or ProgramEnded(pid=PID, exit_code=exit_code, signal=signal, wall_s=3.0)]
    streams = [stream(SUPERVISOR_STREAM, 1, [*begun, *supervisor, *end])]
    if output:
        streams.append(stream(TERMINAL_STREAM, 1, [OutputWritten(channel="stderr", data=output.encode())]))
    if process is not None:
        began = ProcessBegan(pid=PID, ppid=1, start="exec", python="3.11")
        streams.append(stream(f"process-{PID}-1", PID, [began, *process]))
    for pid, records in (others or {}).items():
        forked = (
            [] if records and isinstance(records[0], ProcessBegan) else [ProcessBegan(pid=pid, ppid=PID, start="fork")]
        )
        streams.append(stream(f"process-{pid}-1", pid, [*forked, *records]))
    directory = RunDirectory(Path("/nowhere/r"))
    return Recording(directory, streams, faults, None, aftermath, {FILE: Source(SOURCE)})


def case_of(*supervisor: Record, **fields: object) -> Case:
    return Case(recording_of(*supervisor, **fields))  # type: ignore[arg-type]
