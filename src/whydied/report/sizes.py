"""Ages and plain numbers as people say them, beside the sizes and times of `whydied.words`. Pure."""

from __future__ import annotations

import math

from whydied import words

_AGES = ((86400.0 * 365, "year"), (86400.0 * 30, "month"), (86400.0, "day"), (3600.0, "hour"), (60.0, "minute"))


def age(seconds: float) -> str:
    """`just now`, `3 hours ago`, `2 days ago`. A time in the future (a clock set back) is `just now`."""
    for length, name in _AGES:
        if seconds >= length:
            return f"{words.count(int(seconds // length), name)} ago"
    return "just now"


def number(value: float) -> str:
    """`1,234,567`, `0.0312`, `1.5e+12`: whole numbers grouped, fractions to four digits."""
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, int):
        return f"{value:,}" if abs(value) >= 10_000 else str(value)
    if math.isfinite(value) and value == int(value) and abs(value) < 1e15:
        return number(int(value))
    return f"{value:.4g}"
