"""Where the memory went, for the report: by line, by op and over time. Pure; bounded however long the run was."""

from __future__ import annotations

from whydied import words
from whydied.diagnose.case import Case
from whydied.diagnose.memory.memory_over_time import growth_by_line, memory_series
from whydied.diagnose.memory.step_need import need_of
from whydied.report.summary import LineBytes, MemoryFacts, Moment, OpBytes

MOST_LINES = 20
MOST_OPS = 20
MOST_MOMENTS = 200
SMALLEST_BYTES = 1 << 20
"""Less is the noise of a process that lives."""


def memory_facts(case: Case) -> MemoryFacts:
    limit, need = case.recording.limit, need_of(case)
    return MemoryFacts(
        peak_rss_bytes=case.recording.peak_rss_bytes,
        limit_bytes=limit.limit_bytes if limit else None,
        limit_kind=limit.kind if limit else None,
        limit_ours=limit.ours if limit else False,
        by_line=_by_line(case),
        by_op=_by_op(case),
        step=f"{need.function}, batch {need.memory.batch}" if need else None,
        timeline=timeline(case),
    )


def timeline(case: Case) -> list[Moment]:
    """The memory of the process over time, thinned so that the highest of each stretch stays."""
    series = memory_series(case)
    entries = case.recording.supervisor.entries
    start_s = entries[0].at_ns / 1e9 if entries else 0.0
    size = max(1, -(-len(series) // MOST_MOMENTS))
    highest = [max(series[at : at + size], key=lambda point: point[1]) for at in range(0, len(series), size)]
    return [Moment(seconds=round(at - start_s, 3), rss_bytes=rss) for at, rss in highest]


def lines_of(memory: MemoryFacts) -> list[str]:
    """Bytes by line, as text, the largest first."""
    return [f"{words.size(one.bytes)}  {_name(one.file)}:{one.line}  {_first(one.source)}" for one in memory.by_line]


def ops_of(memory: MemoryFacts) -> list[str]:
    """Bytes by op, as text, the largest first, headed by the step that they are of."""
    told = [f"alive at the peak of {memory.step}:"] if memory.by_op else []
    for one in memory.by_op:
        layer = f"{one.layer} " if one.layer else ""
        times = f" x {one.copies:,}" if one.copies > 1 else ""
        place = f", {_name(one.file)}:{one.line}" if one.file else ""
        told.append(f"{words.size(one.bytes)}  {layer}{one.type} {one.shape} {one.dtype}{times}, {one.phase}{place}")
    return told


def _by_line(case: Case) -> list[LineBytes]:
    return [
        LineBytes(file=one.location.file, line=one.location.line, bytes=one.grown_bytes, source=one.location.source)
        for one in growth_by_line(case)[:MOST_LINES]
        if one.grown_bytes >= SMALLEST_BYTES
    ]


def _by_op(case: Case) -> list[OpBytes]:
    need = need_of(case)
    if need is None:
        return []
    return [
        OpBytes(
            op=tensor.op,
            type=tensor.type,
            shape=list(tensor.shape),
            dtype=tensor.dtype,
            bytes=tensor.size_bytes,
            copies=tensor.copies,
            phase=tensor.phase,
            layer=tensor.layer.name if tensor.layer else None,
            file=tensor.line.file if tensor.line else None,
            line=tensor.line.line if tensor.line else None,
        )
        for tensor in need.memory.alive[:MOST_OPS]
    ]


def _name(file: str | None) -> str:
    return (file or "").rsplit("/", 1)[-1]


def _first(source: str | None) -> str:
    return (source or "").split("\n", 1)[0]
