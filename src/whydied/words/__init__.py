"""Sizes and times in words a person can read. Pure; used by every message and report."""

from __future__ import annotations

import math

_UNITS = ("B", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB")


def size(count: float | None) -> str:
    """`1.9 GiB`; `268 MiB`; `512 B`."""
    if count is None or not math.isfinite(count):
        return "an unknown size"
    value, unit = float(count), 0
    # 999.5 and not 1024: "1023 MiB" and "1.00 GiB" are the same size, and the second is quicker to grasp.
    while abs(value) >= 999.5 and unit < len(_UNITS) - 1:
        value, unit = value / 1024, unit + 1
    digits = 0 if unit == 0 or abs(value) >= 99.95 else 1 if abs(value) >= 9.995 else 2
    return f"{value:.{digits}f} {_UNITS[unit]}"


def duration(seconds: float | None) -> str:
    """`0.4 s`; `12 s`; `2 min 14 s`; `3 h 05 min`."""
    if seconds is None:
        return "an unknown time"
    if seconds < 10:
        return f"{seconds:.1f} s"
    if seconds < 60:
        return f"{seconds:.0f} s"
    minutes, rest = divmod(round(seconds), 60)
    if minutes < 60:
        return f"{minutes} min {rest:02} s" if rest else f"{minutes} min"
    hours, minutes = divmod(minutes, 60)
    if hours < 48:
        return f"{hours} h {minutes:02} min"
    return f"{hours // 24} days {hours % 24} h"


def count(number: int, noun: str, plural: str | None = None) -> str:
    """`1 process`; `3 processes`."""
    return f"{number:,} {noun if number == 1 else plural or noun + 's'}"
