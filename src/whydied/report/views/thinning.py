"""Fewer points of a long course, with its peaks. Pure."""

from __future__ import annotations

from collections.abc import Sequence

MOST_POINTS = 1200
"""Twice the width in pixels of the widest chart that a page has, so that nothing is lost that could be seen."""


def thinned(points: Sequence[tuple[float, float]], most: int = MOST_POINTS) -> list[tuple[float, float]]:
    """At most about `most` points in the order of time, with all that is high or low."""
    return [points[at] for at in telling_places([value for _, value in points], most)]


def telling_places(heights: Sequence[float], most: int) -> list[int]:
    """The places of at most about `most` values, in their order: of each stretch the lowest and the highest, so that no
    peak and no dip is lost, and always the first and the last."""
    if len(heights) <= most:
        return list(range(len(heights)))
    size = -(-len(heights) // max(1, most // 2 - 1))
    kept = {0, len(heights) - 1}
    for begin in range(0, len(heights), size):
        stretch = range(begin, min(begin + size, len(heights)))
        kept |= {min(stretch, key=heights.__getitem__), max(stretch, key=heights.__getitem__)}
    return sorted(kept)
