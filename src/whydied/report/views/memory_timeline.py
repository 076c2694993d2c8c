"""The memory of a run over time, with what the program did meanwhile. Pure; bounded however long the run was."""

from __future__ import annotations

from itertools import groupby, pairwise
from typing import Literal

import msgspec

from whydied import words
from whydied.diagnose.case import Case
from whydied.diagnose.memory.memory_over_time import lines_at_work
from whydied.records import (
    CallBegan,
    CallEnded,
    CensusTaken,
    GpuFound,
    GpuSampled,
    LineSampled,
    MemoryWarned,
    StepBegan,
    StepCaptured,
)
from whydied.report.views.thinning import thinned

MOST_CALLS = 24
MOST_JUMPS = 6
MOST_CENSUSES = 12
MOST_BARS = 120
JUMP_SHARE = 0.08
"""Of the peak, within `JUMP_S`: less is the way in which every program grows."""
JUMP_S = 1.0
SMALLEST_JUMP = 32 << 20
SMALLEST_SHARE = 0.02
"""A line below this part of the peak cannot be told from the axis."""

Kind = Literal["process", "children", "allocator", "group", "gpu", "good", "bad"]
"""The last two are of two runs side by side."""
MarkKind = Literal["call", "jump", "census", "warning", "bad", "end"]


class Line(msgspec.Struct, frozen=True, kw_only=True):
    """Seconds since the start of the run, and bytes."""

    name: str
    kind: Kind
    points: list[tuple[float, float]]


class Mark(msgspec.Struct, frozen=True, kw_only=True):
    """Something that happened: at a moment, or from `at` to `until`."""

    kind: MarkKind
    at: float
    label: str
    words: str = ""
    until: float | None = None


class Timeline(msgspec.Struct, frozen=True, kw_only=True):
    """`steps` are steps a second, as bars from one time to another; `unit` says of what."""

    lines: list[Line]
    marks: list[Mark] = []
    limit_bytes: int | None = None
    limit_words: str = ""
    steps: list[tuple[float, float, float]] = []
    unit: str = ""
    told: str = ""


def timeline(case: Case, ended: str = "") -> Timeline | None:
    """None where too little was seen to draw a line. `ended` says in words how the run ended."""
    recording = case.recording
    if len(recording.samples) < 2:
        return None
    start = _start_s(case)
    lines = [line for line in _lines(case, start) if len(line.points) > 1]
    if not lines:
        return None
    peak = max(value for line in lines for _, value in line.points)
    limit = recording.limit
    steps, unit = _steps(case, start)
    return Timeline(
        lines=[line for line in lines if max(value for _, value in line.points) >= SMALLEST_SHARE * peak],
        marks=_marks(case, start, ended),
        limit_bytes=limit.limit_bytes if limit else None,
        limit_words=f"limit {words.size(limit.limit_bytes)}" if limit else "",
        steps=steps,
        unit=unit,
        told=_told(case, start, lines[0]),
    )


def side_by_side(good: Timeline | None, bad: Timeline | None) -> Timeline | None:
    """The memory of two runs in one picture, each from its start."""
    sides: list[tuple[Kind, Timeline | None]] = [("good", good), ("bad", bad)]
    known = [(name, one) for name, one in sides if one is not None]
    if len(known) < 2 or bad is None:
        return None
    ends = [
        msgspec.structs.replace(mark, label=f"{name} ends", words=f"{name}: {mark.words}")
        for name, one in known
        for mark in one.marks
        if mark.kind == "end"
    ]
    return Timeline(
        lines=[msgspec.structs.replace(one.lines[0], name=name, kind=name) for name, one in known],
        marks=sorted(ends, key=lambda mark: mark.at),
        limit_bytes=bad.limit_bytes,
        limit_words=bad.limit_words,
        told=" ".join(f"{name}: {one.told}" for name, one in known),
    )


def _start_s(case: Case) -> float:
    entries = case.recording.supervisor.entries
    return entries[0].at_ns / 1e9 if entries else case.recording.samples[0].at_s


def _lines(case: Case, start: float) -> list[Line]:
    """The whole tree first. The children get a line of their own where there are any, the program's own process is then
    what is between the two."""
    samples = case.recording.samples
    own = case.pid
    tree = [(sample.at_s - start, float(sample.rss_bytes)) for sample in samples if sample.rss_bytes]
    children = [
        (sample.at_s - start, float(sum(one.rss_bytes for one in sample.machine.processes if one.pid != own)))
        for sample in samples
    ]
    group = [(s.at_s - start, float(s.machine.cgroup_bytes)) for s in samples if s.machine.cgroup_bytes is not None]
    allocator = [
        (at - start, float(sampled.allocator_bytes))
        for at, sampled in case.records.timed(LineSampled)
        if sampled.allocator_bytes is not None
    ]
    with_children = any(value for _, value in children)
    found = [Line(name="program and its processes" if with_children else "program", kind="process", points=tree)]
    if with_children:
        found.append(Line(name="its child processes", kind="children", points=children))
    if case.recording.limit is not None and case.recording.limit.kind == "cgroup":
        found.append(Line(name="counted by the control group", kind="group", points=group))
    found.append(Line(name="TensorFlow's allocator", kind="allocator", points=allocator))
    found += _devices(case, start)
    return [msgspec.structs.replace(line, points=_rounded(thinned(line.points))) for line in found]


def _devices(case: Case, start: float) -> list[Line]:
    names = {found.index: found.name for found in case.recording.supervisor.all(GpuFound)}
    used: dict[int, list[tuple[float, float]]] = {}
    for at, sampled in case.recording.supervisor.timed(GpuSampled):
        used.setdefault(sampled.index, []).append((at - start, float(sampled.used_bytes)))
    return [
        Line(name=f"GPU {index} ({names.get(index, 'unknown')})", kind="gpu", points=points)
        for index, points in sorted(used.items())
    ]


def _rounded(points: list[tuple[float, float]]) -> list[tuple[float, float]]:
    """Fewer digits: a page is sent around."""
    return [(round(at, 2), float(round(value))) for at, value in points]


def _marks(case: Case, start: float, ended: str) -> list[Mark]:
    last = max(case.recording.samples[-1].at_s, case.records.last_at_s) - start
    found = [*_calls(case, start, last), *_jumps(case, start), *_moments(case, start)]
    if ended:
        found.append(Mark(kind="end", at=round(last, 2), label="end", words=ended))
    return sorted(found, key=lambda mark: (mark.at, mark.kind))


def _calls(case: Case, start: float, last: float) -> list[Mark]:
    """Calls into Keras that no other call made; many of one kind in a row are one stretch."""
    ends = {ended.call: at for at, ended in case.records.timed(CallEnded)}
    outer = [(at, call) for at, call in case.records.timed(CallBegan) if call.parent_call is None]
    found = []
    for kind, group in groupby(outer, key=lambda pair: pair[1].kind):
        calls = list(group)
        until = ends.get(calls[-1][1].call, last + start)
        label = kind if len(calls) == 1 else f"{kind} x {len(calls):,}"
        place = case.locate_user(calls[0][1].frames)
        told = f"{label}{f', {place.spelled}' if place else ''}: {words.duration(until - calls[0][0])}"
        found.append(
            Mark(kind="call", at=round(calls[0][0] - start, 2), until=round(until - start, 2), label=label, words=told)
        )
    return sorted(found, key=lambda mark: mark.at - (mark.until or mark.at))[:MOST_CALLS]


def _jumps(case: Case, start: float) -> list[Mark]:
    """Where memory rose steeply, with the line that ran."""
    looks = [(at, sampled) for at, sampled in lines_at_work(case) if sampled.rss_bytes]
    peak = max((sampled.rss_bytes or 0 for _, sampled in looks), default=0)
    enough = max(SMALLEST_JUMP, JUMP_SHARE * peak)
    rises: list[tuple[int, float, Mark]] = []
    for (before, earlier), (at, later) in pairwise(looks):
        rise = (later.rss_bytes or 0) - (earlier.rss_bytes or 0)
        if rise < enough or at - before > 10 * JUMP_S:
            continue
        place = case.locate_user(later.frames)
        where = place.spelled if place else "the program"
        told = f"+{words.size(rise)} within {words.duration(max(0.1, at - before))}, while {where} ran"
        mark = Mark(kind="jump", at=round(at - start, 2), label=f"+{words.size(rise)}", words=told)
        rises.append((rise, at, mark))
    kept: list[tuple[int, float, Mark]] = []
    for rise, at, mark in sorted(rises, key=lambda one: -one[0]):
        if all(abs(at - other) > JUMP_S for _, other, _ in kept):
            kept.append((rise, at, mark))
    return [mark for _, _, mark in kept[:MOST_JUMPS]]


def _moments(case: Case, start: float) -> list[Mark]:
    censuses = list(case.records.timed(CensusTaken))
    found = [
        Mark(
            kind="census",
            at=round(at - start, 2),
            label="census",
            words=f"what was alive was counted ({census.trigger}), at {words.size(census.rss_bytes)}",
        )
        for at, census in censuses[-MOST_CENSUSES:]
    ]
    for at, captured in case.records.timed(StepCaptured):
        step = f" at step {captured.step}" if captured.step is not None else ""
        found.append(Mark(kind="bad", at=round(at - start, 2), label="NaN", words=f"a value was not finite{step}"))
    for at, _ in case.records.timed(MemoryWarned):
        found.append(Mark(kind="warning", at=round(at - start, 2), label="low memory", words="memory was running out"))
    return found


def _steps(case: Case, start: float) -> tuple[list[tuple[float, float, float]], str]:
    """How many steps a second, over equal stretches of time, of the kind of which there were most."""
    by_unit: dict[str, list[tuple[float, int]]] = {}
    for at, step in case.records.timed(StepBegan):
        by_unit.setdefault(step.unit, []).append((at - start, step.count))
    unit, seen = max(by_unit.items(), key=lambda pair: pair[1][-1][1] - pair[1][0][1], default=("", []))
    if len(seen) < 3:
        return [], ""
    first, last = seen[0][0], seen[-1][0]
    width = max((last - first) / MOST_BARS, 0.25)
    bars: list[tuple[float, float, float]] = []
    begin, counted = seen[0]
    for at, count in seen[1:]:
        if at - begin >= width or at == last:
            if at > begin and count > counted:
                bars.append((round(begin, 2), round(at, 2), round((count - counted) / (at - begin), 3)))
            begin, counted = at, count
    return bars, unit


def _told(case: Case, start: float, line: Line) -> str:
    """The picture in a sentence, for those who do not see it."""
    at, peak = max(line.points, key=lambda point: point[1])
    phrase = (
        f"The {line.name} grew from {words.size(line.points[0][1])} to {words.size(peak)} after {words.duration(at)}"
    )
    limit = case.recording.limit
    return f"{phrase}; the limit is {words.size(limit.limit_bytes)}." if limit else f"{phrase}."
