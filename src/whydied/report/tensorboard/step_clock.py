"""Which training step ran at a moment, and when a step ran. Pure.

Invariant: steps count from zero, as everywhere in the report; a moment before the first step belongs to step 0.
"""

from __future__ import annotations

import bisect
from collections import Counter

from whydied.read.recording import ProcessView
from whydied.records import StepBegan

_TRAINING = ("train", "apply", "session", "function")
"""Units whose steps are those of a training, the surest first: an evaluation counts its own."""


class StepClock:
    """`unit` is the kind of step that it counts by, "" where the process recorded none."""

    def __init__(self, records: ProcessView) -> None:
        begun = list(records.timed(StepBegan))
        seen = Counter(step.unit for _, step in begun)
        self.unit = next((unit for unit in _TRAINING if unit in seen), next(iter(seen), ""))
        highest = -1
        self._times: list[float] = []
        self._steps: list[int] = []
        for at_s, step in begun:
            if step.unit == self.unit and step.count - 1 > highest:
                highest = step.count - 1
                self._times.append(at_s)
                self._steps.append(highest)

    @property
    def steps(self) -> int:
        """How many steps were begun."""
        return self._steps[-1] + 1 if self._steps else 0

    def step_at(self, at_s: float) -> int:
        """The last step that had begun. Only some steps of a quick training are recorded: between two of them it is in
        proportion to the time."""
        place = bisect.bisect_right(self._times, at_s)
        if place == 0:
            return 0
        low = self._steps[place - 1]
        if place == len(self._steps):
            return low
        share = (at_s - self._times[place - 1]) / (self._times[place] - self._times[place - 1])
        return low + int((self._steps[place] - low) * share)

    def time_of(self, step: int, otherwise_s: float) -> float:
        """When a step began, between the recorded ones in proportion; `otherwise_s` where no step was recorded."""
        if not self._steps:
            return otherwise_s
        place = bisect.bisect_left(self._steps, step)
        if place == len(self._steps):
            return self._times[-1]
        if place == 0 or self._steps[place] == step:
            return self._times[place]
        low, high = self._steps[place - 1], self._steps[place]
        share = (step - low) / (high - low)
        return self._times[place - 1] + (self._times[place] - self._times[place - 1]) * share
