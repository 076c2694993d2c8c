"""The largest batch by trials under a real limit, from a guess. Pure: the trials are the caller's."""

from __future__ import annotations

import math
from collections.abc import Callable

MOST_TRIALS = 7
CLOSE = 1.15
"""A batch that fits and one that does not are so near that nothing between them is worth a trial."""


def verified(fits: Callable[[int], bool], guess: int, most_trials: int = MOST_TRIALS) -> tuple[int, bool]:
    """The largest batch that was seen to fit, 0 for none, and whether one of 15 % more was seen not to."""
    low, high, batch, step = 0, 0, max(1, guess), CLOSE
    for _ in range(most_trials):
        if fits(batch):
            low = batch
            batch = max(low + 1, math.floor(low * step)) if not high else (low + high) // 2
        else:
            high = batch
            batch = (low + high) // 2 if low else max(1, math.floor(high / step))
        # The further off the guess turns out to be, the longer the steps.
        step *= CLOSE
        if high and (high <= max(low + 1, math.ceil(low * CLOSE)) or high == 1):
            return low, True
    return low, False
