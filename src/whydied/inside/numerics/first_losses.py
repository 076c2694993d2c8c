"""Records the losses of the first steps of each training, by which two runs of a program are compared; runs in the
user's process.

Invariant: at most `LARGEST_RECORDS` records in a process, each of at most `STEPS` steps.
"""

from __future__ import annotations

import itertools

from whydied.inside import journal
from whydied.records import LossesSeen

STEPS = 64
AT = frozenset({4, 8, 16, 32, STEPS})
"""Steps after which a record is written: a program that is killed leaves at least half of what it did."""
LARGEST_RECORDS = 200
_numbers = itertools.count()
_records = itertools.count(1)


class FirstLosses:
    """Of one function or loop."""

    def __init__(self, function: str) -> None:
        self._function = function
        self._number = next(_numbers)
        self._told = 0

    def write(self, losses: list[float], norms: list[float]) -> None:
        """`losses` are those of all steps so far, `norms` those of the gradients at the same steps, or nothing."""
        if self._told < len(losses) <= STEPS and next(_records) <= LARGEST_RECORDS:
            self._told = len(losses)
            journal.write(LossesSeen(function=self._function, number=self._number, losses=losses, norms=norms))

    def end(self, losses: list[float], last: list[tuple[int, float]]) -> None:
        """The training is over: `last` are its last losses, each with its step."""
        if next(_records) <= LARGEST_RECORDS:
            latest = [loss for _, loss in last]
            steps = [step for step, _ in last]
            journal.write(
                LossesSeen(
                    function=self._function, number=self._number, losses=losses, latest=latest, latest_steps=steps
                )
            )
