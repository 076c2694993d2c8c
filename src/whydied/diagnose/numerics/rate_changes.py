"""What the advice about a training that diverged changes in the source: the learning rate, its schedule, clipping.
Pure."""

from __future__ import annotations

import math
import re

from whydied.diagnose.case import Case
from whydied.diagnose.finding import Location
from whydied.diagnose.numerics.gradient_norms import overshoot, step_ratio
from whydied.records import Descent, NormsSeen
from whydied.source.edits.edit import Change, Edit
from whydied.source.edits.runs.literal_numbers import plain
from whydied.source.edits.runs.optimizer_edits import (
    bounded_rate,
    clipped,
    constant_rate,
    divided_rate,
    falling,
    named,
    slower,
    slower_by_hand,
    slower_elsewhere,
    with_epsilon,
)

KIND = "learning-rate"
_PLAIN = re.compile(r"\bSGD\b|\bsgd\b|GradientDescent")
"""Optimizers whose step is the gradient times the rate."""
LEAST = 10.0
MOST = 1e9
FEW_ROWS = 2
SMALLEST_RATE = 1e-6
"""What a schedule that falls below zero is kept at."""


USUAL_RATE = 1e-4
"""The least rate that such an optimizer is usually given."""


def times_smaller(case: Case, place: Location | None, seen: NormsSeen | None, descent: Descent | None = None) -> float:
    """By which power of ten a rate has to be divided for the steps to shrink. Where the replay has found the rate at
    which the loss of the captured batch falls, that; else where each step multiplies the norm by r, the rate times the
    curvature is 1 + r, and below 1 no step overshoots. Of plain gradient descent also what the size of a gradient
    beside its loss says."""
    rate = seen.learning_rate if seen is not None else None
    if descent is not None and descent.rate and rate is not None and rate > 0:
        # A single row says little about the others.
        margin = LEAST if descent.rows < FEW_ROWS else 1.0
        return float(min(1 / SMALLEST_RATE**2, max(LEAST, margin * _power(rate / descent.rate))))
    ratio = step_ratio(seen)
    found = 1 + ratio if ratio is not None and math.isfinite(ratio) else LEAST
    if seen is not None and place is not None and _PLAIN.search(place.source or ""):
        same = [one for one in case.records.all(NormsSeen) if one.optimizer_made == seen.optimizer_made]
        found = max(found, overshoot(same) or 0.0)
    elif rate is not None and rate > 0:
        # Adam and its kin divide by the size of the gradients, which then says little: no rate below the usual ones.
        found = min(found, 10.0 ** math.floor(math.log10(max(LEAST, rate / USUAL_RATE)) + 1e-6))
    return float(min(MOST, max(LEAST, _power(found))))


def _power(value: float) -> float:
    """The power of ten that is not below a number, but for rounding."""
    return float(10.0 ** math.ceil(math.log10(value) - 1e-6))


def slowed(
    case: Case,
    place: Location | None,
    seen: NormsSeen | None,
    descent: Descent | None = None,
    further: float = 1.0,
) -> list[Change]:
    """A smaller rate at the line that chose it, or at the update by hand, and as another way clipped gradients."""
    source = case.sources.get(place.file) if place is not None else None
    if place is None or source is None:
        return []
    by = times_smaller(case, place, seen, descent) * further
    rate = seen.learning_rate if seen is not None else None
    found = (
        slower(source, place.file, place.line, by)
        or slower_by_hand(source, place.file, place.line, by)
        or slower_elsewhere(case.sources, place.file, place.line, by)
    )
    changes = []
    if found is not None:
        changes.append(_rate(found[1], [found[0]]))
    elif rate is not None:
        at = (source, place.file, place.line)
        other = named(*at, rate / by) or divided_rate(*at, by)
        changes += [_rate(rate / by, [other])] if other is not None else []
    if further == 1.0 and (edit := clipped(source, place.file, place.line)) is not None:
        changes.append(Change(title="Clip the gradients: `clipnorm=1.0`", kind="clipping", value=1.0, edits=[edit]))
    return changes


def lowered(case: Case, place: Location | None, chosen: Location | None, first: float | None) -> list[Change]:
    """A schedule that lowers the rate in the place of one that raises it; else the rate that it began with."""
    source = case.sources.get(place.file) if place is not None else None
    if source is None or place is None:
        return []
    edit = falling(source, place.file, place.line)
    if edit is not None:
        return [Change(title="Make the schedule lower the rate", kind=KIND, edits=[edit])]
    if first is None:
        return []
    made = case.sources.get(chosen.file) if chosen is not None else None
    edit = bounded_rate(source, place.file, place.line, "min", first)
    if edit is None and made is not None and chosen is not None:
        edit = constant_rate(made, chosen.file, chosen.line, first)
    title = f"Keep the rate at what it began with: {plain(first)}"
    return [Change(title=title, kind=KIND, value=first, edits=[edit])] if edit is not None else []


def kept_positive(case: Case, place: Location | None) -> list[Change]:
    """A schedule that falls below zero, kept above it."""
    source = case.sources.get(place.file) if place is not None else None
    if source is None or place is None:
        return []
    edit = bounded_rate(source, place.file, place.line, "max", SMALLEST_RATE)
    title = f"Keep the rate above 0: at {plain(SMALLEST_RATE)} at least"
    return [Change(title=title, kind=KIND, value=SMALLEST_RATE, edits=[edit])] if edit is not None else []


def epsilon_set(case: Case, place: Location | None) -> list[Change]:
    """An optimizer without epsilon, with one."""
    source = case.sources.get(place.file) if place is not None else None
    edit = with_epsilon(source, place.file, place.line) if source is not None and place is not None else None
    title = "Give the optimizer an epsilon that is not zero"
    return [Change(title=title, kind="optimizer", value=1e-7, edits=[edit])] if edit is not None else []


def _rate(rate: float, edits: list[Edit]) -> Change:
    return Change(title=f"Use a learning rate of {plain(rate)}", kind=KIND, value=rate, edits=edits)
