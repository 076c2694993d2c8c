"""A series of measurements, bounded however long the run is. Pure.

Invariant: at most `MOST` stretches of equal length, of each the highest value: peaks are never lost, and a day fits the
same room as a minute.
"""

from __future__ import annotations

MOST = 480
"""Stretches that are kept; when they are more, two become one."""
_FIRST_S = 1.0


class History:
    def __init__(self, most: int = MOST) -> None:
        self._most = most
        self._stretch_s = _FIRST_S
        self._began_s: float | None = None
        self._highest: list[float | None] = []

    def add(self, at_s: float, value: float) -> None:
        if self._began_s is None:
            self._began_s = at_s
        number = max(0, int((at_s - self._began_s) / self._stretch_s))
        while number >= self._most:
            self._halve()
            number = int((at_s - self._began_s) / self._stretch_s)
        self._highest += [None] * (number + 1 - len(self._highest))
        known = self._highest[number]
        self._highest[number] = value if known is None else max(known, value)

    def _halve(self) -> None:
        pairs = [self._highest[at : at + 2] for at in range(0, len(self._highest), 2)]
        self._highest = [max((one for one in pair if one is not None), default=None) for pair in pairs]
        self._stretch_s *= 2

    @property
    def values(self) -> list[float]:
        """From the first to the last; a stretch in which nothing was measured is as the one before."""
        shown: list[float] = []
        for one in self._highest:
            shown.append(one if one is not None else shown[-1] if shown else 0.0)
        return shown

    @property
    def seconds(self) -> float:
        """What the values span."""
        return len(self._highest) * self._stretch_s
