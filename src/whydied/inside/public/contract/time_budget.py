"""How much time looking at data may take; runs in the user's process.

Invariant: what was spent, in time of the processor, stays below `RATE` of the time since the first call, beside
a first look of `FIRST_S` at each new input, `LARGEST_FIRST_S` in all. One block or batch more may be under way when
that is reached.
"""

from __future__ import annotations

import time

FIRST_S = 0.01
LARGEST_FIRST_S = 0.3
RATE = 0.005
LAST_S = 0.3
"""Once, when the program has failed and its end is all that is left."""


def now() -> float:
    """Of the processor, not of the wall: a busy machine must not make us look at less."""
    return time.thread_time()


class Budget:
    def __init__(self) -> None:
        self._began: float | None = None
        self._granted = 0.0
        self._spent = 0.0

    def grant(self, seconds: float = FIRST_S, most: float = LARGEST_FIRST_S) -> None:
        """There is something new to look at."""
        if self._began is None:
            self._began = time.perf_counter()
        self._granted = min(self._granted + seconds, most)

    def allows(self) -> bool:
        if self._began is None:
            return False
        return self._spent < self._granted + RATE * (time.perf_counter() - self._began)

    def spend(self, since: float) -> float:
        """Count what this thread has worked since a moment of `now`. Returns the moment."""
        moment = now()
        self._spent += moment - since
        return moment

    def end(self) -> None:
        """The program failed: look once more."""
        self._granted = self._spent + LAST_S
