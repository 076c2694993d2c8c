"""The norms of gradients over the last steps: did they grow without bound, where first, how fast. Pure."""

from __future__ import annotations

import itertools
import math
import statistics
from collections.abc import Iterable
from typing import NamedTuple

from whydied.records import NormsSeen

LEAST_FACTOR = 1e3
"""By how much the norm must have grown in a row: noise and a spike of one batch stay far below."""
LEAST_NORM = 1e4
LEAST_RATIO = 1.1
"""Between one step and the next. A divergence multiplies; it does not pause for long."""
LEAST_REST = 10.0
"""What must be left of the growth without its largest step: a batch that brings one huge gradient is no divergence."""
FINITE_FACTOR = 1e8
"""A run that ended before its values overflowed is called diverged only from this growth on."""
FINITE_NORM = 1e8
HUGE = 1e15
"""Gradients that no loss of finite data has while it converges."""
FEWEST_RISES = 2
RISING_SHARE = 0.8
LAYER_FACTOR = 10.0
SHOWN = 6
MANY_RISES = 5
"""From this many on the one in the middle tells more than the smallest, which one batch can bring."""


class Growth(NamedTuple):
    """A rise of the norm of all gradients together, from `low` to `high` within `steps` steps. `first` is the variable
    whose own norm rose first, `values` are norms along the way; `of` is "gradient", or "weight" where gradients are not
    seen."""

    low: float
    high: float
    steps: int
    first: str
    values: list[float]
    learning_rate: float | None
    of: str = "gradient"

    @property
    def factor(self) -> float:
        return self.high / self.low if self.low > 0 else math.inf


def total(row: list[float]) -> float:
    """The norm of all gradients of a step together."""
    largest = max((abs(norm) for norm in row), default=0.0)
    if not all(map(math.isfinite, row)) or largest == 0.0:
        return math.nan if any(map(math.isnan, row)) else largest
    # Scaled, because squares overflow long before the norms do.
    return largest * math.sqrt(sum((norm / largest) ** 2 for norm in row))


def growth(seen: NormsSeen | None) -> Growth | None:
    """The rise that the norms end with, where it is one that a divergence makes."""
    if seen is None:
        return None
    finite = _finite_run([total(row) for row in seen.norms])
    start = _start_of_rise(finite)
    rise = finite[start:]
    if len(rise) <= FEWEST_RISES or rise[0] <= 0:
        return None
    factor = rise[-1] / rise[0]
    # A gradient of exactly zero between two others, as of units that are all dead for a batch, is one huge step.
    largest = max(later / earlier if earlier else math.inf for earlier, later in itertools.pairwise(rise))
    if factor < LEAST_FACTOR or rise[-1] < LEAST_NORM or factor / largest < LEAST_REST:
        return None
    # The rows that are not finite come after the finite ones, so indices from the front are those of `seen`.
    return Growth(
        low=rise[0],
        high=rise[-1],
        steps=len(rise) - 1,
        first=_first_to_rise(seen, start, len(finite)),
        values=_sampled(rise),
        learning_rate=seen.learning_rate,
        of=seen.of,
    )


class Burst(NamedTuple):
    """Gradients that were finite, and so large in one step that their squares overflow: what an optimizer makes of them
    is NaN. `first` is the variable nearest to the loss whose gradient was."""

    step: int
    norm: float
    """Infinite where only that it was above 1e19 is known."""
    first: str


def burst(seen: NormsSeen | None, before: int | None) -> Burst | None:
    """In the steps before the one that was captured. The variables are in the order of the layers."""
    if seen is None or before is None:
        return None
    for step, row in zip(seen.steps, seen.norms, strict=False):
        if step >= before or any(map(math.isnan, row)):
            return None
        high = [name for name, norm in zip(seen.names, row, strict=False) if norm >= HUGE]
        if high:
            return Burst(step, total(row), high[-1])
    return None


def _finite_run(norms: list[float]) -> list[float]:
    """The norms up to the first one that is not finite."""
    end = next((at for at, norm in enumerate(norms) if not math.isfinite(norm)), len(norms))
    return norms[:end]


def _start_of_rise(norms: list[float]) -> int:
    """Where the last rise begins: back from the end, as long as most of the steps still rise."""
    best = len(norms) - 1
    rises = 0
    for at in range(len(norms) - 1, 0, -1):
        rises += norms[at] >= LEAST_RATIO * norms[at - 1]
        steps = len(norms) - at
        if rises < RISING_SHARE * steps:
            break
        if norms[at] >= LEAST_RATIO * norms[at - 1]:
            best = at - 1
    return max(best, 0)


def _first_to_rise(seen: NormsSeen, start: int, end: int) -> str:
    """The variable whose norm was the first to be ten times what it was; of several in one step the one that rose
    most."""
    for at in range(start + 1, end):
        risen = {
            name: row / before
            for name, row, before in zip(seen.names, seen.norms[at], seen.norms[start], strict=False)
            if before > 0 and row / before >= LAYER_FACTOR
        }
        if risen:
            return max(risen, key=lambda name: risen[name])
    return ""


def _sampled(values: list[float]) -> list[float]:
    if len(values) <= SHOWN:
        return values
    return [values[round(at * (len(values) - 1) / (SHOWN - 1))] for at in range(SHOWN)]


def divergence(seen: NormsSeen | None) -> Growth | None:
    """A rise that is a divergence, though nothing has overflowed yet."""
    rise = growth(seen)
    return rise if rise is not None and rise.factor >= FINITE_FACTOR and rise.high >= FINITE_NORM else None


def step_ratio(seen: NormsSeen | None) -> float | None:
    """By what one step multiplied the norms at the end. Where they rise faster and faster, as in a network of several
    layers, the first rise counts, and of a single one its root: a step there goes through more than one layer."""
    finite = _finite_run([total(row) for row in seen.norms]) if seen is not None else []
    rise = [norm for norm in finite[_start_of_rise(finite) :] if norm > 0]
    ratios = [later / earlier for earlier, later in itertools.pairwise(rise)]
    if not ratios:
        return None
    if len(ratios) == 1:
        return math.sqrt(ratios[0])
    return min(ratios) if len(ratios) < MANY_RISES else statistics.median(ratios)


def overshoot(seen: Iterable[NormsSeen]) -> float | None:
    """By how much the rate of plain gradient descent is too large at least, at the step where that is least: a loss
    that can reach zero does not fall where the rate times the squared gradient is above four times the loss."""
    found = [
        norms.learning_rate * total(row) ** 2 / (4 * loss)
        for norms in seen
        if norms.learning_rate is not None and norms.learning_rate > 0 and norms.of == "gradient"
        for row, loss in zip(norms.norms, norms.losses, strict=False)
        if math.isfinite(loss) and loss > 0 and total(row) < HUGE
    ]
    return min(found, default=None)
