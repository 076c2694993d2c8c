"""Sudden jumps of memory, tied to the step, epoch and line at which they came. Pure."""

from __future__ import annotations

import math
from typing import NamedTuple

from whydied import words
from whydied.diagnose.case import Case
from whydied.diagnose.finding import Location
from whydied.diagnose.memory.memory_over_time import baseline_bytes, own_series
from whydied.records import EpochBegan, LineSampled, StepBegan

LEAST_BYTES = 256 << 20
LEAST_SHARE = 0.25
"""A jump is worth a word where it is this part of the largest amount that the program ever took above its libraries."""
WINDOW_S = 1.0
TIMES_USUAL = 3.0
"""A jump is so many times what memory usually rises by in the same time."""
FEWEST_USUAL = 2
"""Where hardly anything lies outside of the rise, the whole run is one climb."""
_MOST = 3
_MOST_LOOKED_AT = 50

Point = tuple[float, int]
"""A time and resident bytes."""


class Jump(NamedTuple):
    """Memory rose by so much between two moments; the rest is what ran then, None where unknown."""

    grown_bytes: int
    from_s: float
    to_s: float
    location: Location | None
    step: StepBegan | None
    epoch: int | None

    @property
    def words(self) -> str:
        parts = [f"memory jumped by {words.size(self.grown_bytes)} in {words.duration(self.to_s - self.from_s)}"]
        if self.step is not None:
            parts.append(f"at {self.step.unit} step {self.step.count:,}")
        if self.epoch is not None:
            parts.append(f"in epoch {self.epoch + 1}")
        if self.location is not None:
            parts.append(f"at {self.location.spelled}")
        return ", ".join(parts)


def jumps_of(case: Case) -> list[Jump]:
    """The largest jumps after the libraries were loaded, in the order of time."""
    series = own_series(case) if case.principal is not None else []
    most = max((rss for _, rss in series), default=0) - baseline_bytes(case)
    rises = sorted(_rises(series, max(LEAST_BYTES, LEAST_SHARE * most)), key=lambda rise: rise[0][1] - rise[1][1])
    # A sawtooth has many, each of which is compared with the whole run.
    jumps = [rise for rise in rises[:_MOST_LOOKED_AT] if _size(rise) >= TIMES_USUAL * _usual(series, *rise)]
    return [_jump(case, *jump) for jump in sorted(jumps[:_MOST])]


def _rises(series: list[Point], least: float) -> list[tuple[Point, Point]]:
    """Rises of at least so much within the window that do not overlap."""
    found: list[tuple[Point, Point]] = []
    start = 0
    for index in range(1, len(series)):
        while series[index][0] - series[start][0] > WINDOW_S and start < index - 1:
            start += 1
        low = min(series[start:index], key=lambda point: point[1])
        if series[index][1] - low[1] < least:
            continue
        if not found or found[-1][1][0] <= low[0]:
            found.append((low, series[index]))
        elif series[index][1] > found[-1][1][1]:
            found[-1] = (found[-1][0], series[index])
    return found


def _size(rise: tuple[Point, Point]) -> int:
    return rise[1][1] - rise[0][1]


def _usual(series: list[Point], low: Point, high: Point) -> float:
    """What memory rises by at most in three of four windows as wide as a rise, outside of it: a steep climb has no
    jumps."""
    width = max(0.2, round(high[0] - low[0], 1))
    rises = []
    start = series[0]
    for at, rss in series:
        if at - start[0] >= width:
            if at <= low[0] or start[0] >= high[0]:
                rises.append(max(0, rss - start[1]))
            start = (at, rss)
    return sorted(rises)[len(rises) * 3 // 4] if len(rises) >= FEWEST_USUAL else math.inf


def _jump(case: Case, before: Point, after: Point) -> Jump:
    frame = None
    for at_s, sampled in case.records.timed(LineSampled):
        if at_s > after[0] and frame is not None:
            break
        if sampled.thread == "main":
            frame = next((one for one in reversed(sampled.frames) if one.user), frame)
    location = case.locate(frame) if frame is not None else None
    steps = [step for at_s, step in case.records.timed(StepBegan) if at_s <= after[0]]
    step = steps[-1] if steps else None
    epochs = [one.epoch for at_s, one in case.records.timed(EpochBegan) if at_s <= after[0]]
    epoch = step.epoch if step and step.epoch is not None else (epochs[-1] if epochs and step else None)
    return Jump(after[1] - before[1], before[0], after[0], location, step, epoch)
