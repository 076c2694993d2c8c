"""Whether a series grows for good: a robust slope with its interval. Pure, and no dependency for a few hundred points.

The slope is the median over all pairs of points (Theil and Sen), which a sawtooth, a single jump or a plateau moves
little; its interval is the one of the Kendall statistic. Growth counts as sustained only where it goes on: the lower
end of the interval is above zero and most of five equal parts of the series, after the warm-up, grew.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import pairwise
from typing import NamedTuple

MOST_POINTS = 200
PARTS = 5
GROWING_PARTS = 4
LAST_RISE = 0.25
WARM_UP = 0.3
"""Share of the series that is passed over: caches, pools and traced functions fill in the beginning."""
_Z = 1.96


class Growth(NamedTuple):
    """Growth per unit of x with its 95 % interval, the amount over the part looked at, and whether it is sustained."""

    slope: float
    low: float
    high: float
    amount: float
    points: int
    sustained: bool


def growth_of(xs: Sequence[float], ys: Sequence[float]) -> Growth | None:
    """The growth of y with x, or None where there are too few points to tell."""
    start = xs[0] + WARM_UP * (xs[-1] - xs[0]) if xs else 0.0
    points = _thinned([(x, y) for x, y in zip(xs, ys, strict=True) if x >= start])
    if len(points) < 2 * PARTS or points[-1][0] <= points[0][0]:
        return None
    slopes = sorted((y2 - y1) / (x2 - x1) for n, (x1, y1) in enumerate(points) for x2, y2 in points[n + 1 :] if x2 > x1)
    if not slopes:
        return None
    low, high = _interval(slopes, len(points))
    slope = slopes[len(slopes) // 2]
    amount = slope * (points[-1][0] - points[0][0])
    return Growth(slope, low, high, amount, len(points), low > 0 and _goes_on(points))


def _thinned(points: list[tuple[float, float]]) -> list[tuple[float, float]]:
    if len(points) <= MOST_POINTS:
        return points
    step = len(points) / MOST_POINTS
    return [points[int(n * step)] for n in range(MOST_POINTS)]


def _interval(slopes: list[float], points: int) -> tuple[float, float]:
    width = _Z * math.sqrt(points * (points - 1) * (2 * points + 5) / 18)
    total = len(slopes)
    low = max(0, int((total - width) / 2))
    high = min(total - 1, int((total + width) / 2) + 1)
    return slopes[low], slopes[high]


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
