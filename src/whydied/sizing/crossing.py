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

_STEEPNESS = ((0.75, 1.0), (1.0, 2.0), (1.3, 1.0))
"""How much more a row takes than was predicted, and the weight of that before any trial."""
_SPREADS = ((0.004, 1.0), (0.009, 2.0), (0.018, 2.0), (0.036, 1.0))
"""The standard deviation of peaks as a part of the limit, with its weight. Ten-step trainings of four models, three to
ten processes each on two cores, had 0.3 to 2.5 %."""
_BEND = 0.05
"""A prediction from further off is this much of the distance less certain."""
_NEAR, _FAR, _FAR_WEIGHT = 0.12, 0.9, 0.15
"""How far the prediction is off, as the logarithm of the batch: mostly little, now and then by a factor."""
_FINENESS = 0.02
_WIDEST = math.log(8)
_LEAST_WEIGHT = 1e-3


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

    def room(self, predicted_bytes: float) -> float:
        """How far below the limit the mean peak of a batch is."""
        return self.steepness * (self.crossing_bytes - predicted_bytes)


class Crossing:
    """What is known after some trials. `predicted` gives the bytes of a batch, of which only differences count."""

    def __init__(
        self, predicted: Callable[[float], float], limit_bytes: float, guess: float, seen: Iterable[Seen]
    ) -> None:
        self._predicted = predicted
        known = [
            (predicted(batch), limit_bytes - trial.peak_bytes if trial.ran else None, batch) for batch, trial in seen
        ]
        first = min([guess, *(batch for _, _, batch in known)])
        last = max([guess, *(batch for _, _, batch in known)])
        steps = math.ceil((math.log(max(1.0, last) / max(1.0, first)) + 2 * _WIDEST) / _FINENESS)
        found: list[tuple[float, _State]] = []
        for number in range(steps + 1):
            at = math.log(max(1.0, first)) - _WIDEST + number * _FINENESS
            before = _prior(at - math.log(max(1.0, guess)))
            here = predicted(math.exp(at))
            for steepness, first_weight in _STEEPNESS:
                for part, second_weight in _SPREADS:
                    state = _State(0.0, here, steepness, part * limit_bytes)
                    weight = math.log(before * first_weight * second_weight)
                    weight += sum(_log_likelihood(state, size, left) for size, left, _ in known)
                    found.append((weight, state))
        best = max(weight for weight, _ in found)
        kept = [(math.exp(weight - best), state) for weight, state in found if weight > best + math.log(_LEAST_WEIGHT)]
        total = sum(weight for weight, _ in kept)
        self._states = [state._replace(weight=weight / total) for weight, state in kept]
        self.middle = self._where(sum(state.weight * state.crossing_bytes for state in self._states), first, last)

    def _where(self, size: float, first: float, last: float) -> float:
        low, high = max(1.0, first) / 8, max(1.0, last) * 8
        while high / low > 1 + _FINENESS / 4:
            between = math.sqrt(low * high)
            low, high = (between, high) if self._predicted(between) <= size else (low, between)
        return low

    def runs(self, batch: float) -> float:
        """The chance that a training with so many rows stays below the limit."""
        return self.both(batch, None)

    def both(self, batch: float, following: float | None) -> float:
        """The chance that a training of a batch runs and that one with more rows does not."""
        size = self._predicted(batch)
        further = self._predicted(following) if following is not None else 0.0
        found = 0.0
        for state in self._states:
            one = _below(state.room(size) / _scatter(state, size))
            if following is not None:
                one *= 1 - _below(state.room(further) / _scatter(state, further))
            found += state.weight * one
        return found


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
