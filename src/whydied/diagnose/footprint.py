"""Where the memory of a run went: over time, by line, and whether it only ever grew. Pure."""

from __future__ import annotations

from typing import NamedTuple

from whydied.diagnose.case import Case
from whydied.diagnose.finding import Location
from whydied.diagnose.growth import Growth, growth_of
from whydied.records import CensusTaken, Frame, LineSampled, ModuleImported, ProcessExiting, StepBegan

LEAK_BYTES = 100 << 20
LEAK_SHARE = 0.2
"""A leak in a living program is spoken of only where it took this much, and this part of what the program held before:
below, the pools and caches of a healthy training run reach as far."""


class LineGrowth(NamedTuple):
    """How much the process grew while a statement was running."""

    location: Location
    grown_bytes: int


class Leak(NamedTuple):
    """Sustained growth per step where steps were counted, else per second. `full_in_s` is the time until the limit."""

    growth: Growth
    unit: str
    from_bytes: int
    to_bytes: int
    full_in_s: float | None


def growth_by_line(case: Case) -> list[LineGrowth]:
    """Growth of the process by the user's statement that was running, the largest first. Between two looks it is split
    between the lines at both, because it is not known when the one gave way to the other."""
    grown: dict[tuple[str, int], tuple[Location, float]] = {}
    before: tuple[int, Frame | None] | None = None
    for sampled in case.principal.all(LineSampled) if case.principal else []:
        if sampled.thread != "main" or sampled.rss_bytes is None:
            continue
        mine = [frame for frame in sampled.frames if frame.user]
        frame = mine[-1] if mine else None
        if before is not None and sampled.rss_bytes > before[0]:
            for at in (before[1], frame):
                if at is not None:
                    place = case.locate(at)
                    held = grown.get((place.file, place.line), (place, 0.0))[1]
                    grown[place.file, place.line] = (place, held + (sampled.rss_bytes - before[0]) / 2)
        before = (sampled.rss_bytes, frame)
    ranked = sorted(grown.values(), key=lambda pair: -pair[1])
    return [LineGrowth(place, round(amount)) for place, amount in ranked]


def memory_series(case: Case) -> list[tuple[float, int]]:
    """Time and resident bytes of the principal process, as seen from outside. A process that is being taken down holds
    nothing any more, and that is no course of its memory."""
    pid = case.principal.pid if case.principal else (case.recording.program.pid if case.recording.program else None)
    return [
        (sample.at_s, process.rss_bytes)
        for sample in case.recording.samples
        for process in sample.machine.processes
        if process.pid == pid and process.rss_bytes > 0
    ]


def own_series(case: Case) -> list[tuple[float, int]]:
    """The same from when the libraries were loaded: what their import takes is no growth of the program's."""
    loaded = _loaded_s(case)
    ending = case.principal.timed(ProcessExiting) if case.principal else ()
    until = min((at for at, _ in ending), default=float("inf"))
    # While the interpreter shuts down nothing of the program's runs any more.
    return [(at, rss) for at, rss in memory_series(case) if loaded <= at <= until]


def _loaded_s(case: Case) -> float:
    imported = case.principal.timed(ModuleImported) if case.principal else ()
    return max((at for at, module in imported if module.name in _LIBRARIES), default=0.0)


def baseline_bytes(case: Case) -> int:
    """What the process held when its libraries were loaded and its own work began."""
    series = memory_series(case)
    if case.principal is None or not series:
        return 0
    after = [rss for _, rss in own_series(case)]
    return after[0] if after else series[0][1]


def censuses(case: Case) -> list[tuple[float, CensusTaken]]:
    return list(case.principal.timed(CensusTaken)) if case.principal else []


def leak_of(case: Case) -> Leak | None:
    """Growth that goes on after the warm-up and is large enough to matter."""
    series = own_series(case)
    if len(series) < 20:
        return None
    steps = [(at, step.count) for at, step in case.principal.timed(StepBegan)] if case.principal else []
    by_step = _against_steps(series, steps)
    growth = growth_of([x for x, _ in by_step], [float(y) for _, y in by_step]) if by_step else None
    unit = "step"
    if growth is None:
        unit = "second"
        growth = growth_of([at for at, _ in series], [float(rss) for _, rss in series])
    if growth is None or not growth.sustained:
        return None
    first = sorted(rss for _, rss in series)[len(series) // 4]
    if growth.amount < max(LEAK_BYTES, LEAK_SHARE * first):
        return None
    last_at, last = series[-1]
    per_s = growth.amount / max(1e-9, (last_at - series[0][0]) * 0.7)
    limit = case.recording.limit
    full_in_s = (limit.limit_bytes - last) / per_s if limit and limit.limit_bytes > last else None
    return Leak(growth, unit, first, last, full_in_s)


def _against_steps(series: list[tuple[float, int]], steps: list[tuple[float, int]]) -> list[tuple[float, int]]:
    """The series with the number of steps done instead of the time, where there were enough of them."""
    if len(steps) < 20:
        return []
    points, index = [], 0
    for at, rss in series:
        while index + 1 < len(steps) and steps[index + 1][0] <= at:
            index += 1
        if steps[0][0] <= at <= steps[-1][0] + 1.0:
            points.append((float(steps[index][1]), rss))
    return points


_LIBRARIES = {"tensorflow", "keras", "tf_keras", "numpy"}
