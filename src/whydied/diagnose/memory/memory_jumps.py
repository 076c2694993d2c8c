"""Sudden jumps of memory, tied to the step, epoch and line at which they came. Pure."""

from __future__ import annotations

import bisect
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
    series = own_series(case)
    if case.principal is None or len(series) < 2:
        return []
    base = baseline_bytes(case)
    most = max(rss for _, rss in series) - base
    least = max(LEAST_BYTES, LEAST_SHARE * most)
    spans = sorted(_spans(series, least), key=lambda span: span[0] - span[1])[:_MOST]
    return [_jump(case, series[first], series[last]) for first, last in _as_indices(series, spans)]


def _spans(series: list[tuple[float, int]], least: float) -> list[tuple[int, int, float, float]]:
    """Rises of at least so much within the window that do not overlap: bytes before, after, and their times."""
    found: list[tuple[int, int, float, float]] = []
    start = 0
    for index in range(1, len(series)):
        while series[index][0] - series[start][0] > WINDOW_S and start < index - 1:
            start += 1
        low = min(range(start, index), key=lambda n: series[n][1])
        rise = series[index][1] - series[low][1]
        if rise < least:
            continue
        if found and found[-1][3] > series[low][0]:
            before, after, from_s, _ = found[-1]
            if series[index][1] > after:
                found[-1] = (before, series[index][1], from_s, series[index][0])
        else:
            found.append((series[low][1], series[index][1], series[low][0], series[index][0]))
    usual = _Usual(series)
    return [span for span in found if span[1] - span[0] >= TIMES_USUAL * usual.beside(span)]


class _Window(NamedTuple):
    from_s: float
    to_s: float
    rise: int


class _Usual:
    """What memory rises by in most windows of a width outside of a jump: a steep climb has no jumps. The windows of a
    width are cut once, because a long run can have many candidates."""

    def __init__(self, series: list[tuple[float, int]]) -> None:
        self._series = series
        self._cut: dict[float, tuple[list[_Window], list[int]]] = {}

    def beside(self, jump: tuple[int, int, float, float]) -> float:
        windows, rises = self._windows(max(0.2, round(jump[3] - jump[2], 1)))
        first = bisect.bisect_right(windows, jump[2], key=lambda window: window.to_s)
        last = bisect.bisect_left(windows, jump[3], key=lambda window: window.from_s)
        inside = sorted(window.rise for window in windows[first:last])
        left = len(rises) - len(inside)
        if left < FEWEST_USUAL:
            return math.inf
        # Three quarters of the way through the rises outside; those inside are passed over where they stand.
        index = left * 3 // 4
        for number, rise in enumerate(inside):
            index += bisect.bisect_left(rises, rise) + number - bisect.bisect_left(inside, rise) <= index
        return rises[index]

    def _windows(self, width: float) -> tuple[list[_Window], list[int]]:
        if width not in self._cut:
            windows = []
            start = self._series[0]
            for at, rss in self._series:
                if at - start[0] >= width:
                    windows.append(_Window(start[0], at, max(0, rss - start[1])))
                    start = (at, rss)
            self._cut[width] = (windows, sorted(window.rise for window in windows))
        return self._cut[width]


def _as_indices(series: list[tuple[float, int]], spans: list[tuple[int, int, float, float]]) -> list[tuple[int, int]]:
    times = [at for at, _ in series]
    found = [(bisect.bisect_left(times, from_s), bisect.bisect_left(times, to_s)) for _, _, from_s, to_s in spans]
    return sorted(found)


def _jump(case: Case, before: tuple[float, int], after: tuple[float, int]) -> Jump:
    assert case.principal is not None
    frame = None
    for at_s, sampled in case.principal.timed(LineSampled):
        if at_s > after[0] and frame is not None:
            break
        if sampled.thread == "main":
            frame = next((one for one in reversed(sampled.frames) if one.user), frame)
    location = case.locate(frame) if frame is not None else None
    steps = [step for at_s, step in case.principal.timed(StepBegan) if at_s <= after[0]]
    step = steps[-1] if steps else None
    epochs = [one.epoch for at_s, one in case.principal.timed(EpochBegan) if at_s <= after[0]]
    epoch = step.epoch if step and step.epoch is not None else (epochs[-1] if epochs and step else None)
    return Jump(after[1] - before[1], before[0], after[0], location, step, epoch)
