"""Writes the recording of a run that trained for a while and was then killed, without running anything.

Runs in the harness. It goes through the real writer, so it has the size, rotation and shape of a real one.
"""

from __future__ import annotations

from pathlib import Path

from whydied import places
from whydied.places import RunDirectory
from whydied.records import (
    CallBegan,
    EpochBegan,
    Frame,
    LimitApplied,
    LineSampled,
    MachineSampled,
    MainFound,
    OomCounted,
    OutputWritten,
    ProcessBegan,
    ProcessSample,
    ProgramEnded,
    ProgramStarted,
    RunEnded,
    RunStarted,
    StepBegan,
)
from whydied.stream import Stream

SAMPLES_A_SECOND = 10
LINES_A_SECOND = 20
STEPS_A_SECOND = 100
PID = 4_190_000
"""Above the largest pid that Linux gives by default: no live process can be taken for it."""


def write(directory: RunDirectory, script: Path, minutes: float) -> None:
    """Fill a fresh run directory with `minutes` of a training that ended by SIGKILL."""
    directory.make()
    supervisor = Stream(directory.streams, places.SUPERVISOR_STREAM)
    terminal = Stream(directory.streams, places.TERMINAL_STREAM, segment_bytes=64 * 1024, keep_first=1, keep_last=4)
    inside = Stream(directory.streams, f"process-{PID}-0")
    frame = Frame(file=str(script), line=1, function="<module>", user=True, source="model.fit(rows)")
    _begin(supervisor, inside, script, frame, directory.id)
    for second in range(int(minutes * 60)):
        if second % 10 == 0:
            inside.write(EpochBegan(call=1, epoch=second // 10))
        for turn in range(SAMPLES_A_SECOND):
            supervisor.write(_sample(second * SAMPLES_A_SECOND + turn))
        for _ in range(LINES_A_SECOND):
            inside.write(LineSampled(frames=[frame], innermost=frame))
        for turn in range(STEPS_A_SECOND):
            count = second * STEPS_A_SECOND + turn
            inside.write(StepBegan(unit="train", count=count, call=1, epoch=second // 10, step=turn))
        terminal.write(OutputWritten(channel="stderr", data=b"Epoch %d: loss 0.5\n" % second))
    _end(supervisor, minutes)


def _begin(supervisor: Stream, inside: Stream, script: Path, frame: Frame, run_id: str) -> None:
    supervisor.write(
        RunStarted(
            run_id=run_id,
            argv=[str(script)],
            cwd=str(script.parent),
            wall_time_s=0.0,
            boot_id="0",
            supervisor_pid=PID + 1,
            whydied_version="0",
            memory_total_bytes=8 << 30,
        )
    )
    supervisor.write(LimitApplied(kind="machine", limit_bytes=8 << 30))
    supervisor.write(ProgramStarted(pid=PID, argv=["python", str(script)]))
    supervisor.write(OomCounted(moment="start", scope="machine", kills=0))
    inside.write(ProcessBegan(pid=PID, ppid=PID + 1, start="exec", argv=[str(script)]))
    inside.write(MainFound(file=str(script)))
    inside.write(CallBegan(call=1, kind="fit", frames=[frame], model="sequential"))


def _sample(number: int) -> MachineSampled:
    rss = (500 << 20) + number * 1000
    processes = [
        ProcessSample(pid=PID + n, ppid=PID, name="python", state="R", rss_bytes=rss, anon_bytes=rss, threads=8)
        for n in range(2)
    ]
    return MachineSampled(processes=processes, available_bytes=4 << 30, memory_pressure_some=0.0, load_1m=1.5)


def _end(supervisor: Stream, minutes: float) -> None:
    supervisor.write(OomCounted(moment="end", scope="machine", kills=0))
    supervisor.write(ProgramEnded(pid=PID, signal=9, wall_s=minutes * 60, peak_rss_bytes=600 << 20))
    supervisor.write(RunEnded())
