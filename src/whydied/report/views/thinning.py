"""Fewer points of a long course, with its peaks. Pure."""

from __future__ import annotations

from collections.abc import Sequence

MOST_POINTS = 1200
"""Twice the width in pixels of the widest chart that a page has, so that nothing is lost that could be seen."""


def thinned(points: Sequence[tuple[float, float]], most: int = MOST_POINTS) -> list[tuple[float, float]]:
    """At most about `most` points in the order of time: of each stretch the lowest and the highest, so that no peak and
    no dip is lost, and always the first and the last."""
    if len(points) <= most:
        return list(points)
    size = -(-len(points) // max(1, most // 2 - 1))
    kept = {0, len(points) - 1}
    for begin in range(0, len(points), size):
        stretch = range(begin, min(begin + size, len(points)))
        kept.add(min(stretch, key=lambda at: points[at][1]))
        kept.add(max(stretch, key=lambda at: points[at][1]))
    return [points[at] for at in sorted(kept)]
