"""How fast a program steps, by kind of step. Pure.

Steps are recorded at a bounded rate with their count, so the rate comes from the counts and not from how many records
there are.
"""

from __future__ import annotations

from collections import deque
from typing import NamedTuple

from whydied.records import StepBegan

WINDOW_S = 30.0
_KINDS = ("train", "apply", "session", "function", "test", "predict")
"""The first that goes on is what a person asks about: a training step calls functions too."""
_MOST = 400


class Steps(NamedTuple):
    """`epoch` and `step` count from 0, as recorded; `idle_s` is how long none has begun."""

    unit: str
    begun: int
    per_s: float | None
    epoch: int | None
    step: int | None
    idle_s: float


class StepRate:
    def __init__(self) -> None:
        self._seen: dict[str, deque[tuple[float, int]]] = {}
        self._last: dict[str, StepBegan] = {}

    def add(self, at_s: float, step: StepBegan) -> None:
        seen = self._seen.setdefault(step.unit, deque(maxlen=_MOST))
        seen.append((at_s, step.count))
        self._last[step.unit] = step
        while len(seen) > 2 and at_s - seen[0][0] > WINDOW_S:
            seen.popleft()

    def at(self, now_s: float) -> Steps | None:
        """The steps that go on now, or those that did last."""
        going = [unit for unit in _KINDS if unit in self._seen and now_s - self._seen[unit][-1][0] <= WINDOW_S]
        unit = going[0] if going else max(self._seen, key=lambda one: self._seen[one][-1][0], default=None)
        if unit is None:
            return None
        (begin_s, first), (end_s, last) = self._seen[unit][0], self._seen[unit][-1]
        record = self._last[unit]
        rate = (last - first) / (end_s - begin_s) if end_s > begin_s and last > first else None
        return Steps(unit, last, rate if going else None, record.epoch, record.step, max(0.0, now_s - end_s))
