"""Where the memory of a run went: over time, by line, and whether it only ever grew. Pure.

All of it is about the principal process alone; the whole tree is `Recording.peak_rss_bytes`.
"""

from __future__ import annotations

import bisect
import math
import re
from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import NamedTuple

import msgspec

from whydied.diagnose.case import Case
from whydied.diagnose.finding import Location
from whydied.diagnose.memo import once
from whydied.diagnose.memory.pipeline_buffers import filling_bytes
from whydied.records import (
    CellEnded,
    CellStarted,
    CensusTaken,
    LineSampled,
    ModuleImported,
    ProcessExiting,
    ProcessSample,
    StepBegan,
)
from whydied.source.memory_tests import is_over_memory
from whydied.texts import kernel_lines

MOST_POINTS = 200
PARTS = 5
GROWING_PARTS = 4
LAST_RISE = 0.25
WARM_UP = 0.3
"""Share of the series that is passed over: caches, pools and traced functions fill in the beginning."""
_Z = 1.96

LEAK_BYTES = 100 << 20
FEW_STEPS, FEW_STEPS_S = 20, 6.0
LEAK_SHARE = 0.2
"""A leak in a living program is spoken of only where it took this much, and this part of what the program held before:
below, the pools and caches of a healthy training run reach as far."""
LIKE_PEAK = 0.7
"""A process that was seen with this part of the peak that the kernel tells may be the one that reached it."""
_IMPORT = re.compile(r"\s*(?:import|from)\s")
_KILLED = kernel_lines.KILLED_WITH_SIZE.pattern
_LIBRARIES = frozenset({"tensorflow", "keras", "tf_keras", "torch", "jax"})


class LineGrowth(NamedTuple):
    """How much the process grew while a statement was running."""

    location: Location
    grown_bytes: int


class _Import(NamedTuple):
    """A time in which libraries were imported, and what memory grew by in it."""

    began_s: float
    ended_s: float
    grown_bytes: float


@once
def lines_at_work(case: Case) -> list[tuple[float, LineSampled]]:
    """Where the program was, look by look: where the main thread only waited, the thread that worked meanwhile."""
    found: list[tuple[float, LineSampled]] = []
    waiting: LineSampled | None = None
    for at, sampled in case.records.timed(LineSampled):
        if sampled.thread == "main":
            goes_on = waiting is not None and _is_at(sampled, waiting) and found[-1][1].thread != "main"
            found.append(
                (at, msgspec.structs.replace(found[-1][1], rss_bytes=sampled.rss_bytes) if goes_on else sampled)
            )
            waiting = sampled
        elif found:
            found[-1] = (found[-1][0], sampled)
    return found


def _is_at(sampled: LineSampled, other: LineSampled) -> bool:
    return (sampled.frames, sampled.innermost) == (other.frames, other.innermost)


@once
def growth_by_line(case: Case) -> list[LineGrowth]:
    """Growth of the process above all that it held before, by the user's statement that was running, the largest first:
    what comes and goes below that raised nothing. Between two looks it is split between the lines at both, because it
    is not known when the one gave way to the other."""
    grown: dict[tuple[str, int], tuple[Location, float]] = {}
    highest, before = 0, None
    for _, sampled in lines_at_work(case):
        if sampled.rss_bytes is None:
            continue
        frame = next((one for one in reversed(sampled.frames) if one.user), None)
        if highest and sampled.rss_bytes > highest:
            for at in (before, frame):
                if at is not None:
                    place = case.locate(at)
                    held = grown.get((place.file, place.line), (place, 0.0))[1]
                    grown[place.file, place.line] = (place, held + (sampled.rss_bytes - highest) / 2)
        highest, before = max(highest, sampled.rss_bytes), frame
    ranked = sorted(grown.values(), key=lambda pair: -pair[1])
    return [LineGrowth(place, round(amount)) for place, amount in ranked]


def own_growth_by_line(case: Case) -> list[LineGrowth]:
    """The same without the lines that import: what libraries take is not to blame for what came after."""
    return [one for one in growth_by_line(case) if not _IMPORT.match(one.location.source or "")]


@once
def memory_series(case: Case) -> list[tuple[float, int]]:
    """Time and resident bytes of the principal process, as seen from outside. A process that is being taken down holds
    nothing any more, and that is not a course of its memory."""
    return [(at, seen.rss_bytes) for at, seen in _seen_from_outside(case) if seen.rss_bytes > 0]


@once
def anonymous_series(case: Case) -> list[tuple[float, int]]:
    """Time and bytes of the principal process that no file stands behind: the kernel takes back pages of libraries when
    memory is short, and what the program took itself grows on. The last are those that the kernel counted when it
    killed the process."""
    series = [(at, seen.anon_bytes) for at, seen in _seen_from_outside(case) if seen.anon_bytes]
    for line in case.recording.kernel_lines:
        told = _KILLED.search(line)
        if told is not None and int(told[1]) == case.pid and series:
            series.append((max(series[-1][0], case.recording.supervisor.last_at_s), int(told[2]) << 10))
    return series


@once
def file_series(case: Case) -> list[tuple[float, int]]:
    """Time and bytes of the principal process that files stand behind: libraries, and what the program maps."""
    return [(at, seen.file_bytes) for at, seen in _seen_from_outside(case) if seen.anon_bytes and seen.file_bytes]


def _seen_from_outside(case: Case) -> Iterator[tuple[float, ProcessSample]]:
    pid = case.pid
    for sample in case.recording.samples:
        yield from ((sample.at_s, process) for process in sample.machine.processes if process.pid == pid)


def own_pages_since(case: Case, at_s: float) -> int:
    """What the pages of the program's own grew by after a moment, to their highest; 0 where that is not known."""
    series = anonymous_series(case)
    if not series:
        return 0
    later = [size for at, size in series if at >= min(at_s, series[-1][0])]
    return max(0, max(later) - round(level(series, at_s)))


@once
def own_series(case: Case) -> list[tuple[float, int]]:
    """The same without what libraries took: from when the first was loaded, as if all that were imported later had
    been there already. `tf.keras` is such a one, loaded when it is first used."""
    first_s, later = _imports(case)
    ending = case.records.timed(ProcessExiting)
    until = min((at for at, _ in ending), default=float("inf"))
    # While the interpreter shuts down nothing of the program's runs any more.
    return [
        (at, rss + round(sum(one.grown_bytes for one in later if at <= one.began_s)))
        for at, rss in memory_series(case)
        if first_s <= at <= until and not any(one.began_s < at < one.ended_s for one in later)
    ]


@once
def baseline_bytes(case: Case) -> int:
    """What the process held when its first library was loaded, without what the program had taken itself until then,
    and what it grew by while others were imported later."""
    series = memory_series(case)
    if case.principal is None or not series:
        return 0
    first_s, later = _imports(case)
    loaded = level(series, first_s) - _taken_before(case)
    return max(0, round(loaded + sum(one.grown_bytes for one in later)))


@once
def _taken_before(case: Case) -> int:
    """What grew before the first library was imported, and not at a line that imports: data that were loaded first."""
    imported = case.records.timed(ModuleImported)
    began_s = min((at - module.wall_s for at, module in imported if module.name in _LIBRARIES), default=0.0)
    grown, before = 0, None
    for at, sampled in case.records.timed(LineSampled):
        if at > began_s:
            break
        if sampled.thread != "main" or sampled.rss_bytes is None:
            continue
        place = case.locate_user(sampled.frames)
        if before is not None and place and not _IMPORT.match(place.source or ""):
            grown += sampled.rss_bytes - before
        before = sampled.rss_bytes
    return max(0, grown)


@once
def _imports(case: Case) -> tuple[float, list[_Import]]:
    """When the first library was loaded, and the imports after that moment. They nest: Keras imports TensorFlow."""
    imported = case.records.timed(ModuleImported)
    times = sorted((at - module.wall_s, at) for at, module in imported if module.name in _LIBRARIES)
    if not times:
        return 0.0, []
    series = memory_series(case)
    first_s = min(at for _, at in times)
    later: list[_Import] = []
    until = first_s
    for began, ended in times:
        began = max(began, until)
        if ended > began:
            grown = level(series, ended) - level(series, began) if series else 0.0
            later.append(_Import(began, ended, max(0.0, grown)))
            until = ended
    return first_s, later


def loaded_s(case: Case) -> float:
    """When the first library was loaded."""
    first_s, _ = _imports(case)
    return first_s


def level(series: list[tuple[float, int]], at_s: float) -> float:
    """Resident bytes at a moment, between the looks before and after it."""
    index = bisect.bisect_right(series, at_s, key=lambda point: point[0])
    if index in (0, len(series)):
        return series[min(index, len(series) - 1)][1]
    (from_s, low), (to_s, high) = series[index - 1], series[index]
    return low + (high - low) * (at_s - from_s) / (to_s - from_s)


@once
def own_peak_bytes(case: Case) -> int:
    """The most that the principal process itself held, its children left out."""
    inside = case.records.all(LineSampled)
    seen = [rss for _, rss in memory_series(case)] + [line.rss_bytes for line in inside if line.rss_bytes]
    own = max([*seen, *(census.rss_bytes for _, census in censuses(case))], default=0)
    pid, program, ended = case.pid, case.recording.program, case.recording.ended
    if program is None or pid != program.pid or ended is None or not ended.peak_rss_bytes:
        return own
    others = (
        process.rss_bytes
        for sample in case.recording.samples
        for process in sample.machine.processes
        if process.pid != pid
    )
    largest = max(others, default=0)
    # The kernel's peak is the largest of a process and of the children that it waited for.
    if largest > own and largest >= LIKE_PEAK * ended.peak_rss_bytes:
        return own
    return max(own, ended.peak_rss_bytes)


def censuses(case: Case) -> list[tuple[float, CensusTaken]]:
    return list(case.records.timed(CensusTaken))


@once
def leaks(case: Case) -> bool:
    """Whether memory grew on after the warm-up, with the steps or with time, by enough to matter and by more than the
    buffers of its pipelines can hold."""
    series = own_series(case)
    if len(series) < 20:
        return False
    views = [_against_steps(series, _steps(case))]
    cells = list(case.records.timed(CellStarted))
    if not cells:
        views.append(_after_first_step(series, _steps(case)))
    elif case.was_stopped:
        # Cell by cell a notebook only takes more, as long as somebody works in it; one cell that is stopped does not.
        over_s = max((at_s for at_s, _ in case.records.timed(CellEnded)), default=0.0)
        end_s = over_s if over_s > cells[-1][0] else math.inf
        views.append([point for point in series if cells[-1][0] <= point[0] <= end_s])
    first = sorted(rss for _, rss in series)[len(series) // 4]
    enough = max(LEAK_BYTES, LEAK_SHARE * first) + filling_bytes(case)
    return any(sustained_growth(view) >= enough for view in views)


def gave_up_over_memory(case: Case) -> bool:
    """Whether the program raised, or left, under a condition of its own about the memory that it uses."""
    asked, raised = case.exit_call, case.uncaught
    ends = [frame for link in (raised.chain if raised else []) for frame in link.frames[-1:]]
    ends += [frame for frame in (asked.frames if asked else []) if frame.user][-1:]
    return any(frame.user and is_over_memory(case.sources, frame.file, frame.line) for frame in ends)


def _after_first_step(series: list[tuple[float, int]], steps: list[tuple[float, int]]) -> list[tuple[float, int]]:
    """The series from when the first step was done: until then data are loaded, functions traced and buffers filled,
    which takes the longer the busier the machine is."""
    began = [at for at, count in steps if count > 1]
    view = [point for point in series if point[0] >= began[0]] if began else series
    # A few steps of some models, each of which fills what it needs at its first, are a beginning and nothing else.
    few = began and len(steps) < FEW_STEPS and view and view[-1][0] - view[0][0] < FEW_STEPS_S
    return [] if few else view


def _steps(case: Case) -> list[tuple[float, int]]:
    """The steps of the kind that was seen most, because each kind has a count of its own."""
    steps = list(case.records.timed(StepBegan))
    units = Counter(step.unit for _, step in steps).most_common(1)
    return [(at, step.count) for at, step in steps if step.unit == units[0][0]]


def _against_steps(series: list[tuple[float, int]], steps: list[tuple[float, int]]) -> list[tuple[float, int]]:
    """The series with the number of steps done instead of the time, where there were enough of them."""
    if len(steps) < FEW_STEPS:
        return []
    points, index = [], 0
    for at, rss in series:
        while index + 1 < len(steps) and steps[index + 1][0] <= at:
            index += 1
        if steps[0][0] <= at <= steps[-1][0] + 1.0:
            points.append((float(steps[index][1]), rss))
    return points


def sustained_growth(series: Sequence[tuple[float, float]]) -> float:
    """What y grew by with x after the warm-up, where it goes on growing, else 0. The slope is the median over all pairs
    of points (Theil and Sen), which a sawtooth, a single jump or a plateau moves little; the lower end of its interval,
    the one of the Kendall statistic, must be above zero."""
    start = series[0][0] + WARM_UP * (series[-1][0] - series[0][0]) if series else 0.0
    points = _thinned([(x, y) for x, y in series if x >= start])
    if len(points) < 2 * PARTS or points[-1][0] <= points[0][0]:
        return 0.0
    slopes = sorted((y2 - y1) / (x2 - x1) for n, (x1, y1) in enumerate(points) for x2, y2 in points[n + 1 :] if x2 > x1)
    width = _Z * math.sqrt(len(points) * (len(points) - 1) * (2 * len(points) + 5) / 18)
    low = slopes[max(0, int((len(slopes) - width) / 2))]
    amount = slopes[len(slopes) // 2] * (points[-1][0] - points[0][0])
    return amount if low > 0 and _goes_on(points) else 0.0


def _thinned(points: list[tuple[float, float]]) -> list[tuple[float, float]]:
    if len(points) <= MOST_POINTS:
        return points
    step = len(points) / MOST_POINTS
    return [points[int(n * step)] for n in range(MOST_POINTS)]


def _goes_on(points: list[tuple[float, float]]) -> bool:
    """Whether most parts have a higher floor than the part before (a sawtooth that returns to its floor does not grow),
    and the last part grew at least a quarter of the average (a plateau that is being approached does not). The parts
    are equal in x: near the limit points come faster."""
    first, width = points[0][0], (points[-1][0] - points[0][0]) / PARTS
    parts: list[list[float]] = [[] for _ in range(PARTS)]
    for x, y in points:
        parts[min(PARTS - 1, int((x - first) / width))].append(y)
    floors = [min(part) for part in parts if part]
    if len(floors) < GROWING_PARTS:
        return False
    rises = [later - earlier for earlier, later in pairwise(floors)]
    return sum(rise > 0 for rise in rises) >= len(rises) - 1 and rises[-1] > LAST_RISE * sum(rises) / len(rises)
