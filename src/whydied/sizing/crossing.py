"""Where the memory of a training meets a limit, as far as trials tell. Pure.

The peak of the same training differs from process to process, because threads meet differently: a batch that ran may
not run again. So a trial is a sample. Peaks are taken as normally distributed around the predicted curve, moved and
made steeper or flatter; by how much, and how far they scatter, is what the trials say, weighed by Bayes' rule over a
grid. A trial that ran tells its peak, one that did not tells that its peak was above the limit.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from typing import NamedTuple

_STEEPNESS = ((0.45, 0.5), (0.75, 1.0), (1.0, 2.0), (1.3, 1.0))
"""How much more a row takes than was predicted, and the weight of that before any trial."""
_SPREADS = ((0.004, 1.0), (0.009, 2.0), (0.018, 2.0), (0.036, 1.0))
"""The standard deviation of peaks as a part of the limit, with its weight. Ten-step trainings of four models, three to
ten processes each on two cores, had 0.3 to 2.5 %."""
_JUMPS = ((0.0, 4.0), (0.03, 1.0), (0.07, 1.0))
"""Where a buffer no longer fits into what the allocator has free, the peak rises at once: from so much of the limit
below it to as much above. With its weight."""
_BEND = 0.05
"""A prediction from further off is this much of the distance less certain."""
_NEAR, _FAR, _FAR_WEIGHT = 0.12, 0.9, 0.15
"""How far the prediction is off, as the logarithm of the batch: mostly little, now and then by a factor."""
_FINENESS = 0.02
_WIDEST = math.log(8)
_NO_FURTHER = math.log(2)
"""The limit is not met further below what ran, nor above what did not."""
_LEAST_WEIGHT = 1e-3
_MOST_STATES = 300
_ALIKE = (0.97, 1.0, 1.03)
"""Where a peak jumps differs between processes too: a batch is as sure as those beside it."""


class Trial(NamedTuple):
    """`ran` where real steps came to their end; `peak_bytes` is then the most that counted for the limit."""

    ran: bool
    peak_bytes: int = 0


class Seen(NamedTuple):
    batch: int
    trial: Trial


class _State(NamedTuple):
    """What may hold: the peak of a batch is on average the limit at `crossing`."""

    weight: float
    crossing_bytes: float
    steepness: float
    spread_bytes: float
    jump_bytes: float

    def room(self, predicted_bytes: float) -> float:
        """How far below the limit the mean peak of a batch is."""
        below = self.crossing_bytes - predicted_bytes
        return self.steepness * below + (self.jump_bytes if below >= 0 else -self.jump_bytes)


class Crossing:
    """What is known after some trials. `predicted` gives the bytes of a batch, of which only differences count."""

    def __init__(
        self, predicted: Callable[[float], float], limit_bytes: float, guess: float, seen: Iterable[Seen]
    ) -> None:
        self._predicted = predicted
        known = [
            (predicted(batch), limit_bytes - trial.peak_bytes if trial.ran else None, batch) for batch, trial in seen
        ]
        ran = [batch for _, left, batch in known if left is not None]
        died = [batch for _, left, batch in known if left is None]
        low = math.log(max(ran)) - _NO_FURTHER if ran else math.log(max(1.0, min([guess, *died]))) - _WIDEST
        high = math.log(min(died)) + _NO_FURTHER if died else math.log(max(1.0, guess, *ran)) + _WIDEST
        steps = max(1, math.ceil((high - low) / _FINENESS))
        found: list[tuple[float, _State]] = []
        best = -math.inf
        shapes = _shapes(limit_bytes)
        for number in range(steps + 1):
            at = low + number * _FINENESS
            before = math.log(_prior(at - math.log(max(1.0, guess))))
            here = predicted(math.exp(at))
            for steepness, spread, jump, weight in shapes:
                state = _State(0.0, here, steepness, spread, jump)
                weight += before + sum([_log_likelihood(state, size, left) for size, left, _ in known])
                best = max(best, weight)
                if weight > best + math.log(_LEAST_WEIGHT):
                    found.append((weight, state))
        kept = [(math.exp(weight - best), state) for weight, state in found if weight > best + math.log(_LEAST_WEIGHT)]
        kept = sorted(kept, key=lambda one: -one[0])[:_MOST_STATES]
        total = sum(weight for weight, _ in kept)
        self._states = [state._replace(weight=weight / total) for weight, state in kept]
        self.middle = self._where(
            sum(state.weight * state.crossing_bytes for state in self._states), math.exp(low), math.exp(high)
        )

    def _where(self, size: float, low: float, high: float) -> float:
        while high / low > 1 + _FINENESS / 4:
            between = math.sqrt(low * high)
            low, high = (between, high) if self._predicted(between) <= size else (low, between)
        return low

    def runs(self, batch: float) -> float:
        """The chance that a training with so many rows stays below the limit."""
        return self.both(batch, None)

    def both(self, batch: float, following: float | None) -> float:
        """The chance that a training of a batch runs and that one with more rows does not."""
        sizes = [self._predicted(batch * part) for part in _ALIKE]
        further = [self._predicted(following * part) for part in _ALIKE] if following is not None else []
        found = 0.0
        for state in self._states:
            one = _chance_below(state, sizes)
            if further:
                one *= 1 - _chance_below(state, further)
            found += state.weight * one
        return found


def _chance_below(state: _State, sizes: list[float]) -> float:
    return sum([_below(state.room(size) / _scatter(state, size)) for size in sizes]) / len(sizes)


def _shapes(limit_bytes: float) -> list[tuple[float, float, float, float]]:
    """How steep, how far it scatters, how high it jumps, and the logarithm of the weight of that."""
    return [
        (steepness, spread * limit_bytes, jump * limit_bytes, math.log(first * second * third))
        for steepness, first in _STEEPNESS
        for spread, second in _SPREADS
        for jump, third in _JUMPS
    ]


def _prior(off: float) -> float:
    near = math.exp(-0.5 * (off / _NEAR) ** 2) / _NEAR
    return (1 - _FAR_WEIGHT) * near + _FAR_WEIGHT * math.exp(-0.5 * (off / _FAR) ** 2) / _FAR


def _scatter(state: _State, size: float) -> float:
    return math.hypot(state.spread_bytes, _BEND * (state.crossing_bytes - size))


def _log_likelihood(state: _State, size: float, left: float | None) -> float:
    scatter = _scatter(state, size)
    room = state.room(size)
    if left is None:
        return math.log(max(1e-12, 1 - _below(room / scatter)))
    return max(-40.0, -0.5 * ((left - room) / scatter) ** 2) - math.log(scatter)


def _below(deviations: float) -> float:
    return 0.5 * (1 + math.erf(deviations / math.sqrt(2)))
