"""The numbers of a run over time and over its steps, as curves with names. Pure: a case in, curves out.

Invariant: a curve has at most `MOST_POINTS` points, fewer than TensorBoard draws, which picks at random from more; the
highest and the lowest of each stretch stay. Memory has the milliseconds since the start as its step, because most of
it changes between the steps of a training; what belongs to a step has the number of the step, from zero.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable
from itertools import pairwise
from typing import NamedTuple

from whydied.diagnose.case import Case
from whydied.diagnose.memory.memory_over_time import memory_series
from whydied.records import GpuFound, GpuSampled, LineSampled, LossesSeen, NormsSeen, StepBegan
from whydied.report.tensorboard.step_clock import StepClock
from whydied.report.views.thinning import telling_places

MOST_POINTS = 900
MOST_VARIABLES = 100
MOST_FUNCTIONS = 20
_GIB = float(1 << 30)
_BY_TIME = "The step is the time since the start in milliseconds."
_NORMS = {"gradient": "gradient_norm", "update": "update_norm", "weight": "weight_norm"}


class Point(NamedTuple):
    """`at_s` is on the clock of the recording."""

    at_s: float
    step: int
    value: float


class Curve(NamedTuple):
    tag: str
    about: str
    points: list[Point]


def curves_of(case: Case) -> list[Curve]:
    """All that the recording has numbers for."""
    clock = StepClock(case.records)
    found = [*_memory(case), *_gpus(case), *_memory_by_step(case, clock), *_step_times(case)]
    found += [*_losses(case, clock), *_norms(case, clock)]
    return [curve._replace(points=thinned(curve.points)) for curve in found if curve.points]


def thinned(points: list[Point]) -> list[Point]:
    """The lowest and the highest of each stretch, in their order, with the first and the last of all."""
    return [points[at] for at in telling_places([_height(point) for point in points], MOST_POINTS)]


def _height(point: Point) -> float:
    """A value that is not a number is what one looks for."""
    return point.value if not math.isnan(point.value) else math.inf


def start_s(case: Case) -> float:
    entries = case.recording.supervisor.entries
    return entries[0].at_ns / 1e9 if entries else 0.0


def _by_time(case: Case, series: Iterable[tuple[float, float]]) -> list[Point]:
    began = start_s(case)
    return [Point(at_s, max(0, round((at_s - began) * 1000)), value / _GIB) for at_s, value in series]


def _memory(case: Case) -> list[Curve]:
    samples, pid = case.recording.samples, case.pid
    own = [sum(one.rss_bytes for one in sample.machine.processes if one.pid == pid) for sample in samples]
    others = [
        (sample.at_s, max(0, sample.rss_bytes - mine))
        for sample, mine in zip(samples, own, strict=True)
        if len(sample.machine.processes) > 1
    ]
    tensors = [
        (at_s, line.allocator_bytes)
        for at_s, line in case.records.timed(LineSampled)
        if line.allocator_bytes is not None and line.thread == "main"
    ]
    counted = [
        (sample.at_s, sample.machine.cgroup_bytes) for sample in samples if sample.machine.cgroup_bytes is not None
    ]
    limit = case.recording.limit
    ends = [samples[0].at_s, samples[-1].at_s] if samples else []
    series: list[tuple[str, str, list[tuple[float, int]]]] = [
        ("process", "Resident memory of the program.", memory_series(case)),
        (
            "other_processes",
            "Resident memory of the run's other processes; libraries that are shared count once.",
            others,
        ),
        ("tensors", "What TensorFlow's CPU allocator holds.", tensors),
        ("counted", "What the control group of the limit counts.", counted),
        ("limit", f"The memory limit ({limit.kind}).", [(at_s, limit.limit_bytes) for at_s in ends])
        if limit
        else ("limit", "", []),
    ]
    return [Curve(f"memory_GiB/{name}", f"{about} {_BY_TIME}", _by_time(case, told)) for name, about, told in series]


def _gpus(case: Case) -> list[Curve]:
    supervisor = case.recording.supervisor
    used: dict[int, list[tuple[float, int]]] = {}
    for at_s, seen in supervisor.timed(GpuSampled):
        used.setdefault(seen.index, []).append((at_s, seen.used_bytes))
    names = {gpu.index: gpu for gpu in supervisor.all(GpuFound)}
    found = []
    for index, series in sorted(used.items()):
        found.append(
            Curve(f"gpu_GiB/{index}_used", f"Memory in use on GPU {index}. {_BY_TIME}", _by_time(case, series))
        )
        if index in names:
            total = [(at_s, names[index].total_bytes) for at_s, _ in (series[0], series[-1])]
            found.append(
                Curve(f"gpu_GiB/{index}_total", f"All memory of GPU {index}. {_BY_TIME}", _by_time(case, total))
            )
    return found


def _memory_by_step(case: Case, clock: StepClock) -> list[Curve]:
    if clock.steps < 2:
        return []
    highest: dict[int, Point] = {}
    for at_s, rss in memory_series(case):
        point = Point(at_s, clock.step_at(at_s), rss / _GIB)
        if point.step not in highest or point.value > highest[point.step].value:
            highest[point.step] = point
    about = "The most resident memory that was seen while the step ran."
    return [Curve("memory_by_step_GiB/process", about, [highest[step] for step in sorted(highest)])]


def _step_times(case: Case) -> list[Curve]:
    begun: dict[str, list[tuple[float, StepBegan]]] = {}
    for at_s, step in case.records.timed(StepBegan):
        begun.setdefault(step.unit, []).append((at_s, step))
    found = []
    for unit, steps in begun.items():
        # Between two calls of Keras nothing is trained.
        pairs = [
            ((before_s, before), (at_s, step))
            for (before_s, before), (at_s, step) in pairwise(steps)
            if step.call == before.call and step.count > before.count
        ]
        points = [
            Point(before_s, before.count - 1, (at_s - before_s) / (step.count - before.count))
            for (before_s, before), (at_s, step) in pairs
        ]
        found.append(Curve(f"step_s/{unit}", "Seconds from the beginning of a step to that of the next.", points))
    return found


def _losses(case: Case, clock: StepClock) -> list[Curve]:
    """By the number of the watched function: a program may make several of one name, each with steps of its own."""
    longest: dict[int, tuple[float, LossesSeen]] = {}
    for at_s, seen in case.records.timed(LossesSeen):
        if seen.number not in longest or len(seen.losses) >= len(longest[seen.number][1].losses):
            longest[seen.number] = (at_s, seen)
    counted = Counter(seen.function for _, seen in longest.values())
    several = {name for name, count in counted.items() if count > 1}
    tags: dict[str, dict[int, Point]] = {}
    norms: dict[str, dict[int, Point]] = {}
    for at_s, seen in longest.values():
        name = f"{seen.function}_{seen.number}" if seen.function in several else seen.function
        for curve, values in ((tags, seen.losses), (norms, seen.norms)):
            points = curve.setdefault(name, {})
            points.update({step: _placed(clock, step, at_s, value) for step, value in enumerate(values)})
    for at_s, late in case.records.timed(NormsSeen):
        if late.function not in several:
            points = tags.setdefault(late.function, {})
            for step, value in zip(late.steps, late.losses, strict=False):
                points.setdefault(step, _placed(clock, step, at_s, value))
    told = [(f"loss/{name}", "The loss of a step.", points) for name, points in list(tags.items())[:MOST_FUNCTIONS]]
    told += [
        (f"gradient_norm/all/{name}", "The norm of all gradients of a step.", points)
        for name, points in list(norms.items())[:MOST_FUNCTIONS]
    ]
    return [Curve(tag, about, [points[step] for step in sorted(points)]) for tag, about, points in told]


def _norms(case: Case, clock: StepClock) -> list[Curve]:
    """By variable, of the steps before each record; those of the largest norms where there are many variables."""
    found: dict[tuple[str, str], dict[int, Point]] = {}
    for at_s, seen in case.records.timed(NormsSeen):
        for step, row in zip(seen.steps, seen.norms, strict=False):
            for name, value in zip(seen.names, row, strict=False):
                points = found.setdefault((_NORMS.get(seen.of, "gradient_norm"), name), {})
                points[step] = _placed(clock, step, at_s, value)
    ranked = sorted(found.items(), key=lambda item: -max(map(_height, item[1].values())))
    about = "Over the last steps before each time that norms were recorded."
    return [
        Curve(f"{kind}/{name}", about, [points[step] for step in sorted(points)])
        for (kind, name), points in ranked[:MOST_VARIABLES]
    ]


def _placed(clock: StepClock, step: int, at_s: float, value: float) -> Point:
    return Point(clock.time_of(step, at_s), step, value)
