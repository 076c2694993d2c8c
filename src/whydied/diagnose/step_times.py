"""How long the steps of a run took. Pure."""

from __future__ import annotations

from itertools import pairwise

from whydied.diagnose.case import Case
from whydied.records import StepBegan

_WARM_UP = 2
"""The first steps trace and allocate."""


def step_times(case: Case) -> dict[str, list[float]]:
    """When the steps of each kind began."""
    found: dict[str, list[float]] = {}
    for at_s, step in case.records.timed(StepBegan):
        found.setdefault(step.unit, []).append(at_s)
    return found


def step_seconds(case: Case) -> float | None:
    """The middle time between two steps of the commonest kind, the first ones passed over."""
    times = max(step_times(case).values(), key=len, default=[])
    gaps = sorted(later - earlier for earlier, later in pairwise(times[_WARM_UP:]))
    return round(gaps[len(gaps) // 2], 5) if gaps else None
