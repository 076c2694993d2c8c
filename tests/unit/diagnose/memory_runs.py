"""Hand-built runs that ended for want of memory: what they got, how they grew, where they were."""

from __future__ import annotations

from tests.unit.diagnose.case_of import FILE, PID, case_of, counted, sample
from whydied.diagnose.case import Case
from whydied.graph.op_table import Table
from whydied.read.steps import Graphs
from whydied.records import (
    CallBegan,
    Frame,
    InputsSeen,
    LimitApplied,
    LineSampled,
    ModuleImported,
    ProgramEnded,
    Record,
    StepBegan,
)
from whydied.source.text import Source

MIB = 1 << 20
LIMIT = LimitApplied(kind="cgroup v1", limit_bytes=1024 * MIB, ours=True, path="/sys/fs/cgroup/x")
LIBRARIES = 100 * MIB
TENSORFLOW = ModuleImported(name="tensorflow", version="2.21")


def at(line: int, function: str = "<module>") -> Frame:
    return Frame(file=FILE, line=line, function=function, user=True)


def seen(line: int, rss: int, function: str = "<module>") -> LineSampled:
    return LineSampled(frames=[at(line, function)], rss_bytes=rss * MIB)


def killed(source: str, *records: Record, peak: int = 1024, graphs: dict[str, Table] | None = None) -> Case:
    """A run whose kernel killed it; the supervisor saw it grow from the libraries' memory to the peak (MiB)."""
    ended = ProgramEnded(pid=PID, signal=9, wall_s=3.0, peak_rss_bytes=peak * MIB)
    case = case_of(sample(LIBRARIES), LIMIT, *counted(0, 1), process=[TENSORFLOW, *records], ended=ended)
    case.recording.sources = {FILE: Source(source)}
    case.recording.graphs = Graphs(tables=graphs)
    return case


def called(kind: str, line: int, rows: int, batch_size: int | None = None, number: int = 1) -> CallBegan:
    given = {} if batch_size is None else {"batch_size": batch_size}
    x = {"type": "numpy.ndarray", "shape": [rows, 8], "dtype": "float32", "bytes": rows * 32}
    return CallBegan(call=number, kind=kind, frames=[at(line)], model="net", arguments={**given, "x": x})


def step(count: int, call: int | None = 1, unit: str = "train") -> StepBegan:
    return StepBegan(unit=unit, count=count, call=call, step=count - 1)


def got(
    line: int, shape: list[int], count: int = 1, unit: str = "call", taped: bool = False, function: str = "<module>"
) -> InputsSeen:
    size = 4
    for extent in shape:
        size *= extent
    return InputsSeen(
        unit=unit,
        name="net",
        count=count,
        shapes=[shape],
        size_bytes=size,
        arguments=["0"],
        taped=taped,
        frames=[at(line, function)],
    )


__all__ = ["LIBRARIES", "LIMIT", "MIB", "PID", "TENSORFLOW", "at", "called", "got", "killed", "seen", "step"]
