"""The largest batch by trials under a real limit, from a prediction. Pure: the trials are the caller's.

A peak is not the same twice, so no trial decides alone: `crossing` weighs all of them. The batch that is told is the
one for which it is likeliest that the program runs with it and does not with 15 % more. Both are tried, and tried again
where the outcome is near the edge.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import NamedTuple

from whydied.sizing.crossing import Crossing, Seen, Trial

MOST_TRIALS = 8
CLOSE = 1.15
"""A batch that fits and one that does not are so near that nothing between them is worth a trial."""
SURE = 0.93
"""So likely is the answer right that no more trials are worth their time."""
_NO_BETTER = 0.03
"""A batch that ran is told rather than another that is only so little likelier to be right."""
_KERNEL_BYTES = 3 << 20
_FOR_PAGES = 0.998
"""The part of a limit that a process has for its own pages: the kernel counts its tables of them too, 8 bytes for 4
KiB, and 3 MiB of stacks and files, as seen with 9 trainings of 580 to 950 MiB."""
_FIRST = 0.95
_BACK = 0.8
"""As long as nothing ran: after two failures this much of this much."""
_APART = 1.2
_FURTHEST = 4
"""No trial has more rows than so many times those that ran."""


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
            break
        search.saw(batch, attempt(batch))
    return search.answer()


def following(batch: int) -> int:
    """The next batch that must not fit."""
    return max(batch + 1, math.floor(batch * CLOSE))


class _Search:
    def __init__(self, curve: Curve, limit_bytes: int, guess: int) -> None:
        self._curve = curve
        self._guess = max(1, guess)
        self._limit = limit_bytes * _FOR_PAGES - _KERNEL_BYTES
        self._seen: list[Seen] = []

    def saw(self, batch: int, trial: Trial) -> None:
        self._seen.append(Seen(batch, trial))
        if trial.ran:
            # The kernel took less for itself than was thought.
            self._limit = max(self._limit, trial.peak_bytes)

    def answer(self) -> Verified:
        """The likeliest of the batches that ran more often than not."""
        ran = self._known()
        if not ran:
            return Verified(0, 1 in self._tried())
        crossing = self._crossing()
        best = max(ran, key=lambda batch: (crossing.both(batch, following(batch)), batch))
        return Verified(best, self._died_after(best))

    def next_batch(self) -> int | None:
        """None where all is known, or nothing can be."""
        if not self._seen:
            return max(1, math.floor(self._guess * _FIRST))
        crossing = self._crossing()
        best = self._likeliest(crossing)
        known = self._known()

        def chance(batch: int) -> float:
            return crossing.both(batch, following(batch))

        wanted = max(known, key=chance, default=0)
        if not wanted or chance(wanted) < chance(best) - _NO_BETTER:
            return self._untried(best, known)
        after = following(wanted)
        if not self._died_after(wanted):
            return after
        if chance(wanted) >= SURE or (self._times(wanted) > 1 and self._times(after) > 1):
            return None
        if best not in self._tried() and chance(best) > chance(wanted):
            return best
        # The one of the two that is nearer to the edge.
        return wanted if crossing.runs(wanted) < 1 - crossing.runs(after) else after

    def _untried(self, best: int, known: list[int]) -> int | None:
        """What to try where nothing that ran is as good as it should be."""
        if known:
            return min(best, max(known) * _FURTHEST)
        least = min(self._tried())
        return max(1, min(best, math.floor(least * _BACK ** len(self._seen)))) if least > 1 else None

    def _known(self) -> list[int]:
        """Batches that ran more often than not, without those that are too small."""
        ran = [batch for batch in sorted(self._tried()) if self._runs_over_failures(batch) > 0]
        return [batch for batch in ran if not self._is_too_small(batch)]

    def _is_too_small(self, batch: int) -> bool:
        """Whether what must not fit was seen to run, and not by luck."""
        return any(rows >= following(batch) and self._runs_over_failures(rows) > 1 for rows in self._tried())

    def _tried(self) -> set[int]:
        return {batch for batch, _ in self._seen}

    def _times(self, batch: int) -> int:
        return sum(1 for rows, _ in self._seen if rows == batch)

    def _runs_over_failures(self, batch: int) -> int:
        return sum(1 if trial.ran else -1 for rows, trial in self._seen if rows == batch)

    def _died_after(self, batch: int) -> bool:
        """Whether one of the next was seen not to run."""
        return any(batch < rows <= following(batch) and not trial.ran for rows, trial in self._seen)

    def _crossing(self) -> Crossing:
        return Crossing(self._curve.at, self._limit, self._guess, self._seen)

    def _likeliest(self, crossing: Crossing) -> int:
        """Of batches around the crossing, the one that is likeliest to be right."""
        middle = crossing.middle
        some = {max(1, math.floor(middle * (0.82 + 0.01 * number))) for number in range(0, 25, 2)}
        some |= {max(1, math.floor(middle) + more) for more in (-2, -1, 0, 1)}
        left = [batch for batch in sorted(some) if not self._is_too_small(batch)]
        return max(left or [max(some)], key=lambda batch: crossing.both(batch, following(batch)))
