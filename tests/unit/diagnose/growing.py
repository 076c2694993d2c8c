"""Hand-built runs whose memory follows a course, with records at chosen moments."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

from tests.unit.diagnose.case_of import FILE, PID
from whydied.diagnose.case import Case
from whydied.places import SUPERVISOR_STREAM, RunDirectory
from whydied.read.reader import StreamRead
from whydied.read.recording import Recording
from whydied.records import (
    CensusTaken,
    Frame,
    Holder,
    KernelLogged,
    LimitApplied,
    LineSampled,
    MachineSampled,
    ModuleImported,
    ObjectGroup,
    OomCounted,
    ProcessBegan,
    ProcessSample,
    ProgramEnded,
    ProgramStarted,
    Record,
    RunStarted,
)
from whydied.source.text import Source
from whydied.wire import Entry

MIB = 1 << 20
BASE_BYTES = 400 * MIB
Timed = tuple[float, Record]


def frame(line: int, function: str = "<module>") -> Frame:
    return Frame(file=FILE, line=line, function=function, user=True)


def ramp(to_mib: int, seconds: float = 10.0) -> Callable[[float], int]:
    """A course that climbs from the libraries' size by so much, from the first second on."""
    return lambda at_s: BASE_BYTES + int(to_mib * MIB * max(0.0, at_s - 1) / (seconds - 1))


def census(at_mib: int, *groups: ObjectGroup, python_mib: int = 0) -> CensusTaken:
    return CensusTaken(
        trigger="92 % of the limit",
        rss_bytes=BASE_BYTES + at_mib * MIB,
        groups=list(groups),
        python_bytes=python_mib * MIB,
    )


def group(kind: str, count: int, mib: int, path: str = "kept", root: str = "global", **fields: object) -> ObjectGroup:
    holder = Holder(path=path, root=root, container="list", length=count, file=FILE, function="<module>")
    return ObjectGroup(
        kind=kind,
        type=f"library.{kind}",
        count=count,
        size_bytes=mib * MIB,
        holders=[holder],
        **fields,  # type: ignore[arg-type]
    )


def growing(
    process: Sequence[Timed],
    course: Callable[[float], int],
    *,
    seconds: float = 10.0,
    source: str = "",
    killed: bool = True,
    limit_bytes: int = 2 << 30,
    children: Sequence[ProcessSample] = (),
    files: Callable[[float], int] | None = None,
    kernel_anon_bytes: int | None = None,
    inside_children: Mapping[int, Sequence[Timed]] | None = None,
) -> Case:
    """A run of so many seconds, sampled ten times a second, that the kernel's OOM killer ended or that finished.
    `inside_children` is what processes below it recorded, by their ids. `files` is the course of those pages that are
    of files, where the system tells; `kernel_anon_bytes` what the kernel's log says of the others."""
    samples: list[Timed] = [
        (
            n / 10,
            MachineSampled(
                processes=[
                    ProcessSample(
                        pid=PID,
                        ppid=1,
                        name="python",
                        state="R",
                        rss_bytes=course(n / 10),
                        anon_bytes=course(n / 10) - files(n / 10) if files else None,
                        file_bytes=files(n / 10) if files else None,
                    ),
                    *children,
                ]
            ),
        )
        for n in range(int(seconds * 10))
    ]
    path = "/sys/fs/cgroup/x"
    supervisor: list[Timed] = [
        (
            0.0,
            RunStarted(
                run_id="r",
                argv=["train.py"],
                cwd="/home/ann",
                wall_time_s=1.7e9,
                boot_id="b",
                supervisor_pid=1,
                whydied_version="0",
            ),
        ),
        (0.0, ProgramStarted(pid=PID, argv=["python", "train.py"])),
        (0.0, LimitApplied(kind="cgroup v1", limit_bytes=limit_bytes, ours=True, path=path)),
        (0.0, OomCounted(moment="start", scope="cgroup", kills=0, path=path)),
        *samples,
        (seconds, OomCounted(moment="end", scope="cgroup", kills=int(killed), path=path)),
        (seconds, ProgramEnded(pid=PID, signal=9 if killed else None, exit_code=None if killed else 0)),
    ]
    if kernel_anon_bytes is not None:
        words = f"Killed process {PID} (python) total-vm:9kB, anon-rss:{kernel_anon_bytes >> 10}kB, file-rss:8kB"
        supervisor.append((seconds, KernelLogged(line=f"Memory cgroup out of memory: {words}")))
    inside: list[Timed] = [
        (0.0, ProcessBegan(pid=PID, ppid=1, start="exec", python="3.11")),
        (1.0, ModuleImported(name="tensorflow", version="2.21")),
        *sorted(process, key=lambda timed: timed[0]),
    ]
    streams = [_stream(SUPERVISOR_STREAM, 1, supervisor), _stream(f"process-{PID}-1", PID, inside)]
    for pid, timed in (inside_children or {}).items():
        began = (1.0, ProcessBegan(pid=pid, ppid=PID, start="fork", python="3.11"))
        streams.append(_stream(f"process-{pid}-1", pid, [began, *timed]))
    directory = RunDirectory(Path("/nowhere/r"))
    return Case(Recording(directory, streams, None, None, None, {FILE: Source(source)} if source else {}))


def _stream(name: str, pid: int, timed: Sequence[Timed]) -> StreamRead:
    entries = [Entry(int(at_s * 1e9), n, record) for n, (at_s, record) in enumerate(timed)]
    return StreamRead(name, pid, entries, [], 0, 0)


def lines(line: int, course: Callable[[float], int], seconds: float = 10.0) -> list[Timed]:
    """The main thread at one line, ten times a second."""
    return [(n / 10, LineSampled(frames=[frame(line)], rss_bytes=course(n / 10))) for n in range(10, int(seconds * 10))]
