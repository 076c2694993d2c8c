"""The norms of the gradients over the last steps of an eager loop; runs in the user's process.

Invariant: of the last `STEPS` steps there are numbers only, but for the loss, a single element.
"""

from __future__ import annotations

import math
import time
from collections import deque
from typing import Any

from whydied.inside import journal
from whydied.records import Frame, NormsSeen

STEPS = 64
PAUSE_S = 30.0
LARGEST_NAMES = 200


class Norms:
    def __init__(self, function: str, frames: list[Frame]) -> None:
        self.function = function
        self.names: list[str] = []
        self.optimizer_made: Frame | None = None
        self._frames = frames
        self._last: deque[tuple[int, list[float], Any]] = deque(maxlen=STEPS)
        self._told = time.monotonic()
        self._told_step = -1

    def add(self, step: int, squares: list[float], loss: Any) -> None:
        self._last.append((step, squares, loss))
        if step % STEPS == 0 and time.monotonic() - self._told > PAUSE_S:
            self.tell("sample")

    def tell(
        self, moment: str, weights: list[float] | None = None, learning_rate: float | None = None, scale: Any = None
    ) -> None:
        """Write what is known, if there is something new."""
        rows = [row for row in self._last if len(row[1]) == len(self.names)]
        if not rows or (rows[-1][0] == self._told_step and moment != "capture"):
            return
        self._told, self._told_step = time.monotonic(), rows[-1][0]
        losses = [_number(loss) for _, _, loss in rows]
        journal.write(
            NormsSeen(
                function=self.function,
                names=self.names[:LARGEST_NAMES],
                steps=[step for step, _, _ in rows],
                norms=[[_root(value) for value in squares[:LARGEST_NAMES]] for _, squares, _ in rows],
                moment=moment,
                weights=(weights or [])[:LARGEST_NAMES],
                losses=[loss for loss in losses if loss is not None] if None not in losses else [],
                learning_rate=learning_rate,
                scale=scale,
                frames=self._frames,
                optimizer_made=self.optimizer_made,
            )
        )


def _root(square: float) -> float:
    return math.sqrt(square) if square >= 0 else math.nan


def _number(loss: Any) -> float | None:
    return float(loss._numpy()) if loss is not None else None
