"""The losses of two runs, step by step: whether a change does to a training what it says. Pure.

A program runs twice without the change, the first time and as the trial that nothing was changed for. What these two
differ by is chance (no seed, threads), and only what the changed run differs by beyond that is of the change.

Invariant: without two runs to tell chance by, or with fewer than `FEW` steps in common, nothing is said.
"""

from __future__ import annotations

import math
import statistics
from collections.abc import Mapping
from typing import NamedTuple

from whydied.diagnose.case import Case
from whydied.records import LossesSeen
from whydied.source.edits.edit import Harm

FEW = 4
"""Steps that must be the same ones in both runs."""
ROUNDING = 1e-3
"""Part of the mean loss: sums of float32 in another order differ by less in the first steps, float16 by about this."""
CHANCE = 3.0
"""A change is told from chance where it is larger than this many times."""
SHIFT = 0.1
"""Part of the mean loss by which the mean of all steps must move to be another result: the same rows in another order
move single steps, not the mean."""
STILL = 1e-6
FELL = 0.01
OTHER_STEPS = frozenset({"batch-size", "accumulation", "several"})
"""Kinds of changes after which a step is of other rows."""


class Course(NamedTuple):
    """A training from its first step on. `norms` are those of all gradients, empty where they are not seen."""

    losses: tuple[float, ...]
    norms: tuple[float, ...] = ()

    @property
    def is_still(self) -> bool:
        """Whether nothing is learned: each loss is the first one, or no gradient is other than zero."""
        if len(self.losses) < FEW or not all(map(math.isfinite, self.losses)):
            return False
        first = self.losses[0]
        same = all(abs(loss - first) <= STILL * abs(first) for loss in self.losses)
        return same or (len(self.norms) >= FEW and not any(self.norms))

    @property
    def falls(self) -> bool:
        """Whether something was learned before the first value that is not finite."""
        end = next((at for at, loss in enumerate(self.losses) if not math.isfinite(loss)), len(self.losses))
        finite = self.losses[:end]
        return len(finite) > 1 and min(finite) < finite[0] - FELL * abs(finite[0])


Courses = Mapping[str, Course]
"""By the name of the function, and the number of its trainings before."""


class Departure(NamedTuple):
    """`harm` is the least that a change of these losses can be; `words` show them."""

    harm: Harm
    words: str


def courses(case: Case) -> dict[str, Course]:
    longest: dict[int, LossesSeen] = {}
    for seen in case.records.all(LossesSeen):
        known = longest.get(seen.number)
        if known is None or len(seen.losses) > len(known.losses):
            longest[seen.number] = seen
    found: dict[str, Course] = {}
    times: dict[str, int] = {}
    for number in sorted(longest):
        seen = longest[number]
        steps = ended(seen.losses, seen.norms)
        course = Course(tuple(loss for loss, _ in steps), tuple(norm for _, norm in steps) if seen.norms else ())
        found[f"{seen.function} {times.setdefault(seen.function, 0)}"] = course
        times[seen.function] += 1
    return found


def ended(losses: list[float], norms: list[float]) -> list[tuple[float, float]]:
    """Losses with the norms of their gradients, 1 where none is known, without the last step where nothing was
    computed: one that failed, or found that the data were over, left its zeros."""
    steps = list(zip(losses, norms or [1.0] * len(losses), strict=False))
    return steps[:-1] if steps and steps[-1] == (0.0, 0.0) else steps


def stands_still(before: Courses, after: Courses) -> bool:
    """Whether a training that learned something without the change learns nothing with it."""
    return any(course.falls and name in after and after[name].is_still for name, course in before.items())


def departure(first: Courses, before: Courses, after: Courses) -> Departure | None:
    """What a change did to the losses of the steps that all runs have; `first` and `before` are without it."""
    for name in before:
        if name in first and name in after:
            found = _departure(first[name].losses, before[name].losses, after[name].losses)
            if found is not None:
                return found
    return None


def _departure(first: tuple[float, ...], before: tuple[float, ...], after: tuple[float, ...]) -> Departure | None:
    steps = [
        (at, *three)
        for at, three in enumerate(zip(first, before, after, strict=False))
        if all(map(math.isfinite, three))
    ]
    size = statistics.fmean(abs(was) for _, _, was, _ in steps) if steps else 0.0
    if len(steps) < FEW or size == 0.0:
        return None
    chance = max(abs(was - once) for _, once, was, _ in steps)
    differs = [now - was for _, _, was, now in steps]
    if max(map(abs, differs)) <= max(ROUNDING * size, CHANCE * chance):
        return None
    shift = abs(statistics.fmean(differs))
    by_order = CHANCE * statistics.stdev(differs) / math.sqrt(len(differs))
    moves = shift > max(SHIFT * size, CHANCE * chance, by_order)
    at, _, was, now = max(steps, key=lambda one: abs(one[3] - one[2]))
    words = f"its loss at step {at} is {now:.4g}, and {was:.4g} without the change"
    return Departure("changed result" if moves else "same result", words)
