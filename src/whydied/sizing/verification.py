"""The largest batch by trials under a real limit, from a prediction. Pure: the trials are the caller's.

A trial that ran tells its peak, which moves the predicted curve up or down; where that meets the limit the next trial
is made. A peak is not the same twice: of what would fit this time, `AIM` is told, so that it fits next time too, and
15 % more still does not.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import NamedTuple

MOST_TRIALS = 8
CLOSE = 1.15
"""A batch that fits and one that does not are so near that nothing between them is worth a trial."""
AIM = 0.935
LEAST_SURE, MOST_SURE = 0.91, 0.96
"""A batch nearer to the limit may not fit the next time, and 15 % more than one further off may. Below a batch of `FEW`
rows there is no choice."""
FEW = 20
_BACK = 0.8
"""After a failure, which tells no peak; after two of them this much of this much."""
_FOR_PAGES = 0.99
"""The part of a limit that a process has for its own pages: the kernel counts its tables of them too."""
_FURTHEST = 4
_APART = 1.2
_NEAR = 3
"""Trials that say where the limit lies: those of the most rows."""


class Trial(NamedTuple):
    """`ran` where real steps came to their end; `peak_bytes` is then the most that counted for the limit."""

    ran: bool
    peak_bytes: int = 0


class Verified(NamedTuple):
    """The largest batch that was seen to fit, 0 for none, and whether one of 15 % more (or one row) was seen not to."""

    batch: int
    is_sure: bool


class Curve:
    """Bytes by batch: lines between points that are known, and beyond them with the slope of the whole. Points are
    simulated and scatter: of those near each other one is taken, and no batch takes less than a smaller one."""

    def __init__(self, points: dict[int, int]) -> None:
        kept: list[tuple[int, int]] = []
        for batch, size in sorted(points.items()):
            if not kept or batch >= kept[-1][0] * _APART:
                kept.append((batch, max(size, kept[-1][1]) if kept else size))
        (first, least), (last, most) = kept[0], kept[-1]
        self._points = kept
        self._slope = (most - least) / (last - first) if most > least else least / max(1, first)

    def at(self, batch: float) -> float:
        x, y, slope = self._line([point[0] <= batch for point in self._points])
        return y + (batch - x) * slope

    def where(self, size: float) -> float:
        """The batch that takes so much."""
        x, y, slope = self._line([point[1] <= size for point in self._points])
        return x + (size - y) / slope

    def _line(self, before: list[bool]) -> tuple[int, int, float]:
        """The point before a place, and the slope from there."""
        at = max(0, min(len(self._points) - 2, sum(before) - 1))
        x, y = self._points[at]
        if len(self._points) < 2:
            return x, y, self._slope
        right, above = self._points[at + 1]
        return x, y, (above - y) / (right - x) if above > y else self._slope


def verified(
    attempt: Callable[[int], Trial], curve: Curve, limit_bytes: int, guess: int, most_trials: int = MOST_TRIALS
) -> Verified:
    """By trials, the first at what was predicted."""
    search = _Search(curve, limit_bytes, guess)
    for _ in range(most_trials):
        batch = search.next_batch()
        if batch is None:
            return Verified(search.low, True)
        search.saw(batch, attempt(batch))
    return Verified(search.low, search.next_batch() is None)


def following(batch: int) -> int:
    """The next batch that must not fit."""
    return max(batch + 1, math.floor(batch * CLOSE))


class _Search:
    def __init__(self, curve: Curve, limit_bytes: int, guess: int) -> None:
        self._curve = curve
        self._guess = guess
        self._limit = limit_bytes
        self._ran: dict[int, int] = {}
        self._failed: list[int] = []

    def saw(self, batch: int, trial: Trial) -> None:
        if not trial.ran:
            self._failed.append(batch)
            # What ran once with as many rows as what failed was luck.
            self._ran = {rows: peak for rows, peak in self._ran.items() if rows < batch}
        elif not self._failed or batch < min(self._failed):
            self._ran[batch] = trial.peak_bytes

    @property
    def low(self) -> int:
        return max((rows for rows in self._ran if self._is_good(rows)), default=max(self._ran, default=0))

    def next_batch(self) -> int | None:
        """None where all is known."""
        high = min(self._failed, default=0)
        if high == 1:
            return None
        good = [rows for rows in self._ran if self._is_good(rows)]
        if good:
            after = following(max(good))
            return None if high and high <= after else after
        crossing = self._crossing()
        aim = math.floor(crossing * AIM) if crossing >= FEW else math.floor(crossing)
        most = max(self._ran, default=0)
        if high and not most:
            aim = min(aim, math.floor(high * _BACK ** len(self._failed)))
        elif most:
            aim = min(aim, most * _FURTHEST)
        aim = max(1, min(aim, high - 1) if high else aim)
        if aim not in self._ran:
            return aim
        after = following(aim)
        return after if not high or after < high else None

    def _is_good(self, rows: int) -> bool:
        """Whether what ran will run again, and what follows it will not."""
        crossing = self._crossing()
        if crossing < FEW:
            return rows + 1 > crossing
        return LEAST_SURE * crossing <= rows <= MOST_SURE * crossing

    def _crossing(self) -> float:
        """Where the limit lies, as far as is known: by the mean of what the trials say."""
        near = sorted(self._ran)[-_NEAR:]
        found = float(self._guess)
        if near:
            shift = sum(self._ran[rows] - self._curve.at(rows) for rows in near) / len(near)
            found = self._curve.where(self._limit * _FOR_PAGES - shift)
        found = max(1.0, float(max(self._ran, default=0)), found)
        return min(found, *self._failed) if self._failed else found
